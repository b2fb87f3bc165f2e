package fix_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/pglockdep/pglockdep/analyzers"
)

// TestFixes wants the suggested fixes of each package to give its golden
// file.
func TestFixes(t *testing.T) {
	dir := analysistest.TestData()
	for check, packages := range map[string][]string{"lockmany": {"shop"}, "sessionlock": {"xact", "unlock", "both"}} {
		for _, pkg := range packages {
			root := filepath.Join(dir, "src", pkg)
			texts := map[string]string{}
			if text, err := os.ReadFile(filepath.Join(root, "schema.sql")); err == nil {
				texts["schema.sql"] = string(text)
			}
			for _, a := range analyzers.New(analyzers.Config{Root: root, Schema: texts}) {
				if a.Name == check {
					analysistest.RunWithSuggestedFixes(t, dir, a, pkg)
				}
			}
		}
	}
}
