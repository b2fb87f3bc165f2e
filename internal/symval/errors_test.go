package symval

import "testing"

func TestMakesError(t *testing.T) {
	for symbol, want := range map[[2]string]bool{
		{"github.com/pkg/errors", "Wrapf"}:                true,
		{"github.com/cockroachdb/errors", "WithStack"}:    true,
		{"github.com/cockroachdb/errors", "UnwrapAll"}:    false, // nil where nothing is wrapped
		{"github.com/pkg/errors", "Cause"}:                false,
		{"golang.org/x/xerrors", "Errorf"}:                true,
		{"go.uber.org/multierr", "Append"}:                true,
		{"github.com/rotisserie/eris", "Wrap"}:            true,
		{"github.com/cenkalti/backoff/v4", "Permanent"}:   true,
		{"google.golang.org/grpc/status", "Errorf"}:       true,
		{"github.com/samber/oops", "Wrapf"}:               true,
		{"k8s.io/apimachinery/pkg/util/errors", "Reduce"}: false,
		{"golang.org/x/sync/errgroup", "WithContext"}:     false,
		{"example.com/terraform", "New"}:                  false,
		{"example.com/store", "WrapConn"}:                 false,
	} {
		if got := makesError(symbol[0], symbol[1]); got != want {
			t.Errorf("%s.%s: %v, want %v", symbol[0], symbol[1], got, want)
		}
	}
}
