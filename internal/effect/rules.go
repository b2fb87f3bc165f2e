package effect

import (
	_ "embed"
	"slices"
	"strings"
)

// rulesText holds one rule a line: its number, a tab, what it says. The
// sections follow the order in which a statement is worked off.
//
//go:embed rules.txt
var rulesText string

// A Rule is a statement about what PostgreSQL locks, with its number.
type Rule struct{ ID, Text string }

// Rules returns all rules in order.
func Rules() []Rule {
	var out []Rule
	for _, line := range strings.Split(rulesText, "\n") {
		if id, text, ok := strings.Cut(line, "\t"); ok {
			out = append(out, Rule{id, text})
		}
	}
	return out
}

// RuleText returns what the rule of that number says, or "".
func RuleText(id string) string {
	rules := Rules()
	if i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return rules[i].Text
	}
	return ""
}
