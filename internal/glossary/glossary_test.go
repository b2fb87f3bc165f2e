package glossary

import (
	"regexp"
	"strings"
	"testing"
)

func TestTermsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, term := range Terms() {
		if seen[term.Word] {
			t.Errorf("%s is explained twice", term.Word)
		}
		seen[term.Word] = true
		if !strings.HasSuffix(term.Means, ".") {
			t.Errorf("%s: %q is no sentence", term.Word, term.Means)
		}
		if strings.Count(term.Means, "`")%2 != 0 {
			t.Errorf("%s: a backtick is not closed: %q", term.Word, term.Means)
		}
	}
	for _, word := range []string{"lock class", "gate", "unknown"} {
		if !seen[word] {
			t.Errorf("%s is not explained", word)
		}
	}
}

func TestMarkdownHasEveryTerm(t *testing.T) {
	page := Markdown()
	for _, term := range Terms() {
		if !regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(term.Word) + ` \| .*\. \|$`).MatchString(page) {
			t.Errorf("the page has no row for %s", term.Word)
		}
	}
}
