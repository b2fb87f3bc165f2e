package sample

import "testing"

func TestDifference(t *testing.T) {
	a, b, c := symbol("a"), symbol("b"), symbol("c")
	for _, x := range []struct {
		name         string
		one, other   *order
		onlyA, onlyB string
	}{
		{"the same in other words", sequence(a, choice([]*order{b, {}}), repeat(choice([]*order{c, {}}))), choice([]*order{sequence(a, repeat(c)), sequence(a, b, repeat(c))}), "", ""},
		{"an order", sequence(a, b), sequence(b, a), "a → b", "b → a"},
		{"a branch that is missing", sequence(a, b), sequence(a, choice([]*order{b, {}})), "", "a"},
		{"a loop for one", repeat(a), a, "(no lock)", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			onlyA, onlyB := difference(x.one, x.other)
			for _, side := range []struct {
				got  []string
				want string
			}{{onlyA, x.onlyA}, {onlyB, x.onlyB}} {
				got := ""
				if side.got != nil {
					got = word(side.got)
				}
				if got != side.want {
					t.Errorf("got %q, want %q", got, side.want)
				}
			}
		})
	}
}
