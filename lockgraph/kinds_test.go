package lockgraph

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestKindsAreWellFormed(t *testing.T) {
	slug := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen, checks := map[string]bool{}, []string{}
	for _, k := range Kinds {
		if seen[k.Slug] || !slug.MatchString(k.Slug) {
			t.Errorf("slug %q stands twice or is no slug", k.Slug)
		}
		seen[k.Slug] = true
		if !slices.Contains([]string{SeverityError, SeverityWarning, SeverityNote}, k.Severity) {
			t.Errorf("%s: severity %q", k.Slug, k.Severity)
		}
		if k.Title == "" || strings.HasSuffix(k.Title, ".") {
			t.Errorf("%s: title %q is empty or ends in a period", k.Slug, k.Title)
		}
		if n := len(checks); n == 0 || checks[n-1] != k.Check {
			checks = append(checks, k.Check)
		}
		if got, ok := KindOf(k.Slug); !ok || got != k {
			t.Errorf("KindOf(%q) is %+v", k.Slug, got)
		}
	}
	if n := len(checks); n != len(slices.Compact(slices.Sorted(slices.Values(checks)))) {
		t.Errorf("the kinds of a check do not stand together: %v", checks)
	}
	if _, ok := KindOf("no-such-kind"); ok {
		t.Error("a kind that is none was found")
	}
}
