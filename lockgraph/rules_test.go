package lockgraph

import (
	"reflect"
	"strings"
	"testing"
)

// steps reads a tree of steps:
//
//	a b          locks, ~b: a try lock, b*ORDER: many in an order ("-": none),
//	             b^ORDER: another one in each turn of the loop, +R: a row that
//	             is asked for, +R!F: by the SQL function F
//	K{ … }       a transaction of kind K ("tx": none); sp{ and caller{ as handles
//	( … | … )    a branch
//	[ … ]        a loop
//	@P           another path
func steps(t *testing.T, text string) []Step {
	t.Helper()
	for _, c := range "(){}|[]" {
		text = strings.ReplaceAll(text, string(c), " "+string(c)+" ")
	}
	p := &stepReader{t: t, words: strings.Fields(strings.ReplaceAll(text, " { ", "{ "))}
	out := p.until()
	if p.at < len(p.words) {
		t.Fatalf("%q: left over %q", text, p.words[p.at:])
	}
	return out
}

type stepReader struct {
	t     *testing.T
	words []string
	at    int
}

func (p *stepReader) until() []Step {
	out := []Step{}
	for p.at < len(p.words) {
		w := p.words[p.at]
		switch {
		case w == "}" || w == ")" || w == "|" || w == "]":
			return out
		case strings.HasSuffix(w, "{"):
			p.at++
			s := Step{Do: "tx", Handle: "tx", End: "either", Kind: strings.TrimSuffix(w, "{")}
			switch s.Kind {
			case "tx":
				s.Kind = ""
			case "sp":
				s.Kind, s.Handle = "", "savepoint"
			case "caller":
				s.Kind, s.Handle = "", "caller"
			}
			s.Steps = p.until()
			out = append(out, s)
		case w == "(":
			s := Step{Do: "branch"}
			for w != ")" {
				p.at++
				s.Arms = append(s.Arms, Arm{Steps: p.until()})
				w = p.words[p.at]
			}
			out = append(out, s)
		case w == "[":
			p.at++
			out = append(out, Step{Do: "loop", Steps: p.until()})
		case w[0] == '@':
			out = append(out, Step{Do: "see", Entry: w[1:]})
		default:
			out = append(out, lockStep(w))
		}
		p.at++
	}
	return out
}

func lockStep(w string) Step {
	s := Step{Do: "lock", Wait: Wait, Again: "no", Mode: Exclusive}
	if w[0] == '~' {
		s.Wait, w = Try, w[1:]
	}
	w, asked := strings.CutPrefix(w, "+")
	w, function, _ := strings.Cut(w, "!")
	w, s.Each, _ = strings.Cut(w, "^")
	s.Each = strings.ReplaceAll(s.Each, "_", " ")
	name, order, many := strings.Cut(w, "*")
	s.Many = many
	if s.Order = strings.ReplaceAll(order, "_", " "); order == "-" {
		s.Order = ""
	}
	s.Class, s.Mode = "advisory "+name, Exclusive
	if strings.ToUpper(name) == name {
		s.Class, s.Mode, s.By, s.Implicit = "row "+name, ForNoKeyUpdate, []string{"W" + name}, true
	}
	switch {
	case function != "":
		s.Mode, s.By, s.Implicit = ForUpdate, []string{function}, false
	case asked:
		s.Mode, s.By, s.Implicit = ForUpdate, []string{"L" + name}, false
	}
	return s
}

// lettered makes a manifest: lower-case letters are advisory locks, upper-case
// ones rows, which "W" and their letter writes.
func lettered(t *testing.T, paths ...string) *Manifest {
	m := &Manifest{}
	for _, c := range "abcgh" {
		m.Classes = append(m.Classes, Class{ID: "advisory " + string(c), Family: Advisory, Name: string(c)})
	}
	for _, c := range "RST" {
		m.Classes = append(m.Classes, Class{ID: "row " + string(c), Family: Row, Name: string(c), Relation: string(c)})
		m.Acquisitions = append(m.Acquisitions, Acquisition{ID: "w" + string(c), Class: "row " + string(c), Mode: ForNoKeyUpdate,
			Scope: Transaction, Implicit: true, Func: "app.W" + string(c)},
			Acquisition{ID: "l" + string(c), Class: "row " + string(c), Mode: ForUpdate, Scope: Transaction, Func: "app.L" + string(c)},
			Acquisition{ID: "f" + string(c), Class: "row " + string(c), Mode: ForUpdate, Scope: Transaction, Func: "app.Call", SQLFunc: []string{"end_it"}})
	}
	for _, p := range paths {
		entry, tree, _ := strings.Cut(p, ": ")
		m.Paths = append(m.Paths, Path{Entry: entry, Steps: steps(t, tree)})
	}
	return m
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		order string
		paths []string
		want  []string // "ID: text", and "- text" of differences
	}{
		{"first lock of a kind", "", []string{
			"P: Begin{ a b }", "Q: Begin{ a ( b | c ) }", "R: Begin{ a } Begin{ a c }"},
			[]string{"first/Begin/advisory a: every transaction of kind Begin takes advisory a (exclusive) first (3 of 3 paths)"}},
		{"one transaction of the kind starts otherwise", "", []string{
			"P: Begin{ a b }", "Q: Begin{ a }", "R: Begin{ a }", "S: Begin{ ( a | ) b }"},
			[]string{
				"before/advisory a/advisory b: advisory a comes before advisory b wherever both are taken (2 of 2 paths)",
				"first/Begin/advisory a: transactions of kind Begin take advisory a (exclusive) first (3 of 4 paths)",
				"- S does not take advisory a first in a transaction of kind Begin; 3 of 4 paths do"}},
		{"one path is too few", "", []string{"P: tx{ a b }"}, nil},
		{"two paths show an order", "", []string{"P: tx{ a b }", "Q: tx{ a b } tx{ b }"},
			[]string{"before/advisory a/advisory b: advisory a comes before advisory b wherever both are taken (2 of 2 paths)"}},
		{"nor one that nobody waits in", "", []string{"P: tx{ a ~b }", "Q: tx{ a ~b }"}, nil},
		{"two paths and one against it", "", []string{"P: tx{ a b }", "Q: tx{ a b }", "R: tx{ b a }"}, nil},
		{"rows that statements lock by themselves", "", []string{"P: tx{ a R }", "Q: tx{ a R }"}, nil},
		{"before", "", []string{"P: tx{ a b } tx{ b }", "Q: tx{ a b }", "R: tx{ a ( b | ) }"},
			[]string{"before/advisory a/advisory b: advisory a comes before advisory b wherever both are taken (3 of 3 paths)"}},
		{"only while holding says more than before", "", []string{"P: tx{ a b }", "Q: tx{ a b }", "R: tx{ a [ b ] }"},
			[]string{"only-while-holding/advisory a/advisory b: advisory b is taken only while holding advisory a (3 of 3 paths)"}},
		{"the other way round in one path", "", []string{"P: tx{ a b }", "Q: tx{ a b } tx{ b }", "R: tx{ a b } tx{ b }", "S: tx{ b a }"},
			[]string{
				"before/advisory a/advisory b: advisory a comes before advisory b wherever both are taken (3 of 4 paths)",
				"- S takes advisory b before advisory a; 3 of 4 paths take advisory a first"}},
		{"two in five break it: no rule", "", []string{"P: tx{ a b } tx{ b }", "Q: tx{ a b } tx{ b }", "R: tx{ a b } tx{ b }", "S: tx{ b a }", "T: tx{ b a } tx{ a }"}, nil},
		{"a try lock may not be held", "", []string{"P: tx{ ~a b }", "Q: tx{ ~a b }", "R: tx{ ~a b }"},
			[]string{"before/advisory a/advisory b: advisory a comes before advisory b wherever both are taken (3 of 3 paths)"}},
		{"a chain is told once", "", []string{"P: tx{ a b c }", "Q: tx{ a b c }", "R: tx{ a b c }"},
			[]string{
				"only-while-holding/advisory a/advisory b: advisory b is taken only while holding advisory a (3 of 3 paths)",
				"only-while-holding/advisory b/advisory c: advisory c is taken only while holding advisory b (3 of 3 paths)"}},
		{"rows written under a lock", "", []string{"P: tx{ a R }", "Q: tx{ a R }", "U: tx{ a R }", "V: tx{ a R } tx{ R }"},
			[]string{
				`write-under/advisory a/row R: rows of "R" are written only while holding advisory a (3 of 4 paths)`,
				`- V writes rows of "R" without holding advisory a; 3 of 4 paths hold it`}},
		{"the caller may hold it", "", []string{"P: tx{ a R }", "Q: tx{ a R }", "U: tx{ a R }", "V: caller{ R }"},
			[]string{`write-under/advisory a/row R: rows of "R" are written only while holding advisory a (3 of 3 paths)`}},
		{"another path inside the transaction", "", []string{"P: tx{ a @V }", "Q: tx{ a @V }", "U: tx{ a @V }", "V: caller{ R }"},
			[]string{`write-under/advisory a/row R: rows of "R" are written only while holding advisory a (3 of 3 paths)`}},
		{"savepoints belong to the transaction", "", []string{"P: tx{ a sp{ b } }", "Q: tx{ a sp{ b } }", "U: tx{ sp{ a } b }"},
			[]string{"only-while-holding/advisory a/advisory b: advisory b is taken only while holding advisory a (3 of 3 paths)"}},
		{"another transaction inside one", "", []string{"P: tx{ a K{ b } }", "Q: tx{ a K{ b } }", "U: tx{ a K{ b } }"},
			[]string{
				"first/K/advisory b: every transaction of kind K takes advisory b (exclusive) first (3 of 3 paths)",
				"only-while-holding/advisory a/advisory b: advisory b is taken only while holding advisory a (3 of 3 paths)"}},
		{"order of several", "", []string{"P: tx{ g*by_id }", "Q: tx{ g*by_id }", "U: tx{ g*by_id g }", "V: tx{ g*- }", "W: tx{ g }"},
			[]string{
				"order/advisory g/id: several advisory g are taken in order of id (3 of 4 paths)",
				"- V takes several advisory g in no fixed order; 3 of 4 paths take them in order of id"}},
		{"order of the turns of a loop", "", []string{"P: tx{ [ +R^by_id ] }", "Q: tx{ +R*by_id }", "U: tx{ [ +R^by_name ] }"},
			[]string{
				`order/row R/id: several row "R" are taken in order of id (2 of 3 paths)`,
				`- U takes several row "R" in order of name; 2 of 3 paths take them in order of id`}},
		{"one path shows the only order", "", []string{"P: tx{ [ g^given ] }", "Q: tx{ [ g ] }"},
			[]string{"order/advisory g/given: several advisory g are taken in the order the code is given them (1 of 1 path)"}},
		{"what is held already is in order", "", []string{"P: tx{ [ +R^by_id ] [ +R^by_name ] }", "Q: tx{ +R }"},
			[]string{`order/row R/id: several row "R" are taken in order of id (1 of 1 path)`}},
		{"an order of statements alone takes more paths", "", []string{"P: tx{ [ R^by_id ] }", "Q: tx{ [ R^by_id ] }"}, nil},
		{"a path that tells of itself ends", "", []string{"P: tx{ a @P b }"}, nil},
		{"declared", "a < LAYER < row R; # accounts first", []string{"P: tx{ R a }"},
			[]string{
				`before/advisory a/row R: advisory a comes before row "R", as declared: accounts first (0 of 1 path)`,
				`- P takes row "R" before advisory a, against the declared order`}},
		{"declared with a reason", "a < b; # cheap first", []string{"P: tx{ a b }"},
			[]string{"before/advisory a/advisory b: advisory a comes before advisory b, as declared: cheap first (1 of 1 path)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o *Order
			if c.order != "" {
				o = parsed(t, c.order)
			}
			m := lettered(t, c.paths...)
			rules, differences := Rules(m, o)
			var got []string
			told := map[string]bool{}
			for _, d := range differences {
				told[d.Rule] = true
			}
			for _, r := range rules {
				got = append(got, r.ID+": "+r.Text)
				if told[r.ID] != (len(r.Exceptions) > 0) {
					t.Errorf("%s: exceptions %q, difference %v", r.ID, r.Exceptions, told[r.ID])
				}
			}
			for _, d := range differences {
				got = append(got, "- "+d.Text)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			again, _ := Rules(lettered(t, c.paths...), o)
			if !reflect.DeepEqual(rules, again) {
				t.Error("two runs differ")
			}
		})
	}
}

func TestSiblings(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"a lock that others hold before the function", []string{
			"P: tx{ +R +R!end_it }", "Q: tx{ +R +R!end_it }", "U: tx{ +R [ +R!end_it ] }", "V: tx{ +R!end_it }"},
			[]string{`V takes row "R" no sooner than in end_it; 3 of 4 paths that call it hold it by then`}},
		{"the caller may hold it", []string{
			"P: tx{ +R +R!end_it }", "Q: tx{ +R +R!end_it }", "U: tx{ +R +R!end_it }", "V: caller{ +R!end_it }"}, nil},
		{"half of them do", []string{
			"P: tx{ +R +R!end_it }", "Q: tx{ +R +R!end_it }", "U: tx{ +R +R!end_it }", "V: tx{ +R!end_it }", "W: tx{ +R!end_it }"}, nil},
		{"few paths lock before they write", []string{"P: tx{ +S S }", "Q: tx{ S }", "U: tx{ a S }", "V: tx{ S }"},
			[]string{`P locks rows of "S" before writing them; Q, U and V write them by the lock of the statement alone`}},
		{"most lock before they write", []string{"P: tx{ +S S }", "Q: tx{ +S S }", "U: tx{ S }", "V: tx{ S }"}, nil},
		{"nobody does", []string{"P: tx{ S }", "Q: tx{ S }", "U: tx{ S }", "V: tx{ S }"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, differences := Rules(lettered(t, c.paths...), nil)
			var got []string
			for _, d := range differences {
				if d.Form == FormSiblings {
					got = append(got, d.Text)
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestKeysOfSeveralWays(t *testing.T) {
	m := lettered(t)
	key := func(class, derivation, constant string) {
		for i := range m.Classes {
			if m.Classes[i].ID == class {
				m.Classes[i].Key = &Key{Space: "bigint", Derivation: derivation, Constant: constant}
			}
		}
		m.Acquisitions = append(m.Acquisitions, Acquisition{ID: class, Class: class, Scope: Transaction, Func: "app.Lock" + class[len(class)-1:]})
	}
	key("advisory a", "hashtext", "")
	key("advisory b", "hashtext", "")
	if _, d := Rules(m, nil); len(d) != 0 {
		t.Errorf("one way is no difference: %+v", d)
	}
	key("advisory c", "constant", "42")
	_, d := Rules(m, nil)
	if len(d) != 1 || d[0].Form != FormKeys || d[0].Text != "advisory keys are built in 2 ways: `hashtext` of a bare value, widened to `bigint`; a literal constant" ||
		!reflect.DeepEqual(d[0].Funcs, []string{"app.Locka", "app.Lockb", "app.Lockc"}) {
		t.Errorf("differences %+v", d)
	}
}

func TestScopeRule(t *testing.T) {
	m := lettered(t)
	site := func(id, scope string) {
		m.Acquisitions = append(m.Acquisitions, Acquisition{ID: id, Class: "advisory a", Scope: scope, Func: "app.F" + id})
	}
	site("1", Transaction)
	site("2", Transaction)
	if rules, _ := Rules(m, nil); len(rules) != 0 {
		t.Errorf("two places make no rule: %+v", rules)
	}
	site("3", Session)
	if rules, _ := Rules(m, nil); len(rules) != 0 {
		t.Errorf("2 of 3 make no rule: %+v", rules)
	}
	site("4", Transaction)
	rules, differences := Rules(m, nil)
	if len(rules) == 1 && (rules[0].B != Transaction || rules[0].Text != "every advisory lock has transaction scope (3 of 4 places)") {
		t.Errorf("rules %+v", rules)
	}
	if len(rules) != 1 || rules[0].Support != 3 || rules[0].Of != 4 || !reflect.DeepEqual(rules[0].Exceptions, []string{"app.F3"}) {
		t.Errorf("rules %+v", rules)
	}
	if len(differences) != 1 || differences[0].Text != "F3 takes an advisory lock of another scope than transaction; 3 of 4 places have that one" {
		t.Errorf("differences %+v", differences)
	}
}
