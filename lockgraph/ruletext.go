package lockgraph

import (
	"fmt"
	"strconv"
	"strings"
)

// id is the name of a rule that stays while the rule does.
func (r *ruler) id(rule *Rule) string {
	parts := []string{rule.Form}
	if rule.Kind != "" {
		parts = append(parts, Short(rule.Kind))
	}
	parts = append(parts, r.slug(rule.A))
	if rule.B != "" {
		parts = append(parts, r.slug(orderColumn(rule.B)))
	}
	return strings.Join(parts, "/")
}

func (r *ruler) slug(id string) string {
	if r.names.classes[id] == nil {
		return id
	}
	return r.names.slug(id)
}

func orderColumn(order string) string { return strings.TrimPrefix(order, "by ") }

// otherOrder returns the one order in which the paths that break a rule of
// order take instances, "none" where there is none.
func (t *tally) otherOrder() string {
	if len(t.instead) == 1 && !t.instead[""] && !t.instead["plan"] {
		return sortedKeys(t.instead)[0]
	}
	return "none"
}

func inOrder(order string) string {
	switch order {
	case "none":
		return "in no fixed order"
	case "sorted":
		return "in sorted order"
	case "literal":
		return "in the order the code names them"
	case "given":
		return "in the order the code is given them"
	}
	return "in order of " + orderColumn(order)
}

func (t *tally) share(unit string) string {
	if t.of() == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("(%d of %d %s)", len(t.keep), t.of(), unit)
}

// text says a rule to a person, with how many paths show it.
func (r *ruler) text(t *tally) string {
	a, b := r.names.display(t.rule.A), r.names.display(t.rule.B)
	switch t.rule.Form {
	case FormFirst:
		if len(t.modes) == 1 {
			for m := range t.modes {
				a += " (" + m + ")"
			}
		}
		who, takes := "every transaction of kind ", "takes"
		if !t.exact() {
			who, takes = "transactions of kind ", "take"
		}
		return fmt.Sprintf("%s%s %s %s first %s", who, Short(t.rule.Kind), takes, a, t.share("paths"))
	case FormBefore:
		if t.rule.Declared {
			reason := ""
			if t.declared != "" {
				reason = ": " + t.declared
			}
			return fmt.Sprintf("%s comes before %s, as declared%s %s", a, b, reason, t.share("paths"))
		}
		return fmt.Sprintf("%s comes before %s wherever both are taken %s", a, b, t.share("paths"))
	case FormOnlyWhileHolding:
		return fmt.Sprintf("%s is taken only while holding %s %s", b, a, t.share("paths"))
	case FormWriteUnder:
		return fmt.Sprintf("rows of %s are written only while holding %s %s", r.rowsOf(t.rule.B), a, t.share("paths"))
	case FormOrder:
		return fmt.Sprintf("several %s are taken %s %s", a, inOrder(t.rule.B), t.share("paths"))
	}
	return fmt.Sprintf("every %s lock has %s scope %s", t.rule.A, t.rule.B, t.share("places"))
}

func (r *ruler) rowsOf(id string) string {
	if rel := r.names.relation(id); rel != "" {
		return strconv.Quote(rel)
	}
	return r.names.display(id)
}

// difference says what the paths that break a rule do instead.
func (r *ruler) difference(t *tally, rule *Rule) Difference {
	d := Difference{ID: "difference/" + rule.ID, Rule: rule.ID, Form: rule.Form, Funcs: rule.Exceptions}
	for _, c := range []string{t.rule.A, t.rule.B} {
		if r.names.classes[c] != nil {
			d.Classes = append(d.Classes, c)
		}
	}
	d.Classes = orEmpty(unique(d.Classes))
	who, s := list(rule.Exceptions), "s"
	do := ""
	if len(rule.Exceptions) > 1 {
		s, do = "", "do not"
	} else {
		do = "does not"
	}
	a, b := r.names.display(t.rule.A), r.names.display(t.rule.B)
	rest := fmt.Sprintf("%d of %d paths", rule.Support, rule.Of)
	switch t.rule.Form {
	case FormFirst:
		d.Text = fmt.Sprintf("%s %s take %s first in a transaction of kind %s; %s do", who, do, a, Short(rule.Kind), rest)
	case FormBefore:
		d.Text = fmt.Sprintf("%s take%s %s before %s; %s take %s first", who, s, b, a, rest, a)
		if rule.Declared {
			d.Text = fmt.Sprintf("%s take%s %s before %s, against the declared order", who, s, b, a)
		}
	case FormOnlyWhileHolding:
		d.Text = fmt.Sprintf("%s take%s %s without holding %s; %s hold it", who, s, b, a, rest)
	case FormWriteUnder:
		d.Text = fmt.Sprintf("%s write%s rows of %s without holding %s; %s hold it", who, s, r.rowsOf(t.rule.B), a, rest)
	case FormOrder:
		d.Instead = t.otherOrder()
		d.Text = fmt.Sprintf("%s take%s several %s %s; %s take them %s", who, s, a, inOrder(d.Instead), rest, inOrder(t.rule.B))
	default:
		d.Text = fmt.Sprintf("%s take%s an %s lock of another scope than %s; %d of %d places have that one", who, s, t.rule.A, t.rule.B, rule.Support, rule.Of)
	}
	return d
}

// list joins the short names of symbols.
func list(symbols []string) string {
	short := shorten(symbols)
	names := make([]string, len(symbols))
	for i, s := range symbols {
		names[i] = short[s]
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
