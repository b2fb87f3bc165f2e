package lockdrift

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

func TestCheck(t *testing.T) { checktest.Run(t, "testdata", Check) }

// TestOrder wants the locks that a declared order leaves out.
func TestOrder(t *testing.T) {
	order, err := lockgraph.ParseOrder("owner < accounts;")
	if err != nil {
		t.Fatal(err)
	}
	checktest.Module(t, "testdata/order", Check, func(o *prog.Options) { o.Order = order })
}

// TestSentences wants the locks without a sentence where others have one.
func TestSentences(t *testing.T) {
	checktest.Module(t, "testdata/sentences", Check, func(o *prog.Options) {
		o.Names = []prog.Name{{Of: "class accounts", Name: "account", Serializes: "changes of one account"}}
	})
}

// TestFirst wants the path that does not begin its transaction as the others
// of its kind do.
func TestFirst(t *testing.T) { checktest.Module(t, "testdata/first", Check) }

// TestModular wants nothing of a view that sees part of the paths.
func TestModular(t *testing.T) {
	v := checktest.View(t, "testdata/src/shop")
	if len(run(v)) == 0 {
		t.Fatal("the whole program shows nothing")
	}
	v.Modular = true
	if found := run(v); len(found) > 0 {
		t.Errorf("a part of a program shows %d findings, want none: %s", len(found), found[0].Message)
	}
}
