package docgen

import (
	"slices"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/lockgraph"
)

func TestReachers(t *testing.T) {
	for _, tt := range []struct{ by, want []string }{
		{[]string{"POST /accounts/{id}", "app/api.(*H).Routes", "app/cmd.main"}, []string{"`POST /accounts/{id}`"}},
		{[]string{"app/api.(*H).Sweep", "app/cmd.main", "app/cmd.run"}, []string{"`H.Sweep`"}},
		{[]string{"app/cmd.main", "goroutine of app/cmd.main"}, []string{"a goroutine of `cmd.main`"}},
		{[]string{"app/cmd.main", "app/cmd.run"}, []string{"`cmd.main`", "`cmd.run`"}},
		{nil, nil},
	} {
		m := &lockgraph.Manifest{Paths: []lockgraph.Path{{Entry: "app/api.(*H).Do", ReachedBy: append(tt.by, "app/cmd.main", "app/cmd.run", "app/api.(*H).Sweep")}}}
		if got := newBook(m, Options{}).reachers(tt.by); !slices.Equal(got, tt.want) {
			t.Errorf("reachers(%q) = %q, want %q", tt.by, got, tt.want)
		}
	}
}

func TestReachedText(t *testing.T) {
	var w strings.Builder
	newBook(&lockgraph.Manifest{}, Options{}).reachedText(&w, []string{"POST /accounts", "app/api.(*H).Routes", "cron @hourly"})
	if got, want := w.String(), "  reached by POST /accounts, cron @hourly\n  through app/api.(*H).Routes\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
