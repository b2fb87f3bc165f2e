package prog

import (
	"strconv"
	"strings"
	"testing"
)

// appendTo is a slice with more elements.
func appendTo(s *Val, more ...*Val) *Val { return New(VApply, "go:append", s, New(VList, "", more...)) }

func TestEvalText(t *testing.T) {
	lock := func(flag *Val) *Val {
		return New(VConcat, "", Text("SELECT 1"), New(VApply, If+"t1", flag, Text(" FOR UPDATE"), Text("")))
	}
	field := func(of *Val) *Val { return New(VField, "m.Query.lock", of) }
	free := func(of *Val) *Val { return New(VField, "m.Query.given", of) }
	p := Link([]*Package{{Path: "m",
		Funcs: []*Func{{Key: "m.name", Results: 1, Body: []Op{{Kind: OpExit, Args: []*Val{Text("jobs")}}}},
			{Key: "m.key", Results: 2, Body: []Op{{Kind: OpExit, Args: []*Val{Int(0), New(VParam, "0")}}, {Kind: OpExit, Args: []*Val{New(VApply, "go-hash fnv64", New(VParam, "0")), Nil}}}},
			{Key: "m.f", Body: []Op{{Kind: OpCall, ID: 1, Val: New(VFunc, "m.name")}, {Kind: OpCall, ID: 2, Val: New(VFunc, "m.key"), Args: []*Val{Text("k")}}}}},
		Fields: []FieldStore{{Field: "m.Query.given", Func: "m.set", Val: Bool(true), Given: true}, {Field: "m.Query.lock", Func: "m.make", Val: Bool(true)}},
	}}, nil)
	query := New(VRecord, "m.Query")
	for _, tt := range []struct {
		name string
		v    *Val
		want string
	}{
		{"condition holds", lock(Bool(true)), `const "s:SELECT 1 FOR UPDATE"`},
		{"condition does not hold", lock(New(VNot, "", Bool(true))), `const "s:SELECT 1"`},
		{"condition not known", lock(New(VParam, "0")), `choice(const "s:SELECT 1 FOR UPDATE", const "s:SELECT 1")`},
		{"field that the literal leaves out", lock(field(query)), `const "s:SELECT 1"`},
		{"field of the literal", lock(field(New(VRecord, "m.Query", New(VInit, "m.Query.lock", Bool(true))))), `const "s:SELECT 1 FOR UPDATE"`},
		{"field that a method may set", lock(free(query)), `choice(const "s:SELECT 1 FOR UPDATE", const "s:SELECT 1")`},
		{"element of a slice added to", New(VElem, "t9", appendTo(appendTo(Nil, Text("a")), Text("b"))), `choice(const "s:a", const "s:b")`},
		{"format with a gap", New(VApply, "fmt.Sprintf", New(VConcat, "", Text("SELECT "), Hole("columns"), Text(" FROM %s")), New(VList, "", Text("t"))),
			`concat(const "s:SELECT ", hole "columns", const "s: FROM t")`},
		{"result of a constant function", New(VApply, "fmt.Sprintf", Text("lock %q"), New(VList, "", New(VResult, "1.0"))), `const "s:lock \"jobs\""`},
		{"zero beside an error", New(VResult, "2.0"), `apply "go-hash fnv64"(const "s:k")`},
	} {
		e := &env{fn: p.Funcs["m.f"], uid: "0", results: map[int][]*Val{}, conns: map[int]*Val{}}
		got := newEvaluator(p).eval(tt.v, e)
		if got.Kind == VChoice {
			got = &Val{Kind: VChoice, Of: got.Of}
		}
		if got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestManyTexts builds a text of many optional parts: one of each way to
// lock is kept, the shortest.
func TestManyTexts(t *testing.T) {
	v := Text("SELECT id FROM t")
	for i := 0; i < 12; i++ {
		part := " AND c" + strconv.Itoa(i) + " = 1"
		if i == 5 {
			part = " FOR UPDATE"
		}
		v = New(VConcat, "", v, New(VChoice, "t"+strconv.Itoa(i), Text(""), Text(part)))
	}
	got := newEvaluator(Link(nil, nil)).eval(v, &env{uid: "0"})
	want := map[string]bool{"SELECT id FROM t": false, "SELECT id FROM t FOR UPDATE": false}
	for _, o := range got.Of {
		s, _ := o.AsText()
		if _, ok := want[s]; ok {
			want[s] = true
		}
	}
	for s, found := range want {
		if !found {
			t.Errorf("%q is not among %s", s, got)
		}
	}
}

// TestBreakBeforeSwitch walks a loop that is left before a switch in it.
func TestBreakBeforeSwitch(t *testing.T) {
	open := Op{Kind: OpOpen, ID: 1, How: "tx", Conn: New(VHandle, "pool", New(VParam, "0"))}
	loop := Op{Kind: OpLoop, How: "forever", Body: []Op{
		{Kind: OpBranch, Arms: []Arm{{Guard: New(VParam, "1"), Body: []Op{{Kind: OpBreak}}}, {Guard: New(VNot, "", New(VParam, "1"))}}},
		{Kind: OpBranch, How: "switch", Arms: []Arm{{Body: []Op{{Kind: OpBreak}}}, {Body: []Op{{Kind: OpExit}}}}},
	}}
	p := Link([]*Package{{Path: "m", Funcs: []*Func{{Key: "m.f", Params: 2, Body: []Op{loop, open}}}}}, nil)
	opened := false
	p.Walk("m.f").Each(func(n *Node) { opened = opened || n.Kind == OpOpen })
	if !opened {
		t.Error("what follows the loop is not reached")
	}
}

// TestJoinOfManyChoices joins a text of many pieces that are each one of
// several: the time it takes does not grow with the product of their numbers.
func TestJoinOfManyChoices(t *testing.T) {
	pieces := []*Val{Text("SELECT 1 FROM jobs WHERE true")}
	for i := range 40 {
		pieces = append(pieces, New(VChoice, "", Text(""), Text(" AND a = "+strconv.Itoa(i)), Text(" AND b = "+strconv.Itoa(i))))
	}
	pieces = append(pieces, New(VChoice, "", Text(""), Text(" FOR UPDATE")))
	locks := map[bool]bool{}
	for _, v := range Alternatives(reduceConcat(New(VConcat, "", pieces...))) {
		s, ok := v.AsText()
		if !ok || !strings.HasPrefix(s, "SELECT 1 FROM jobs") {
			t.Fatalf("an alternative is %v", v)
		}
		locks[strings.HasSuffix(s, " FOR UPDATE")] = true
	}
	if !locks[true] || !locks[false] {
		t.Errorf("it locks: %v, want either", locks)
	}
}

func TestTextOfBuilderBehindOwnInterface(t *testing.T) {
	chain := New(VMod, "squirrel Suffix", New(VMod, "squirrel Select", Hole("")), Text("FOR UPDATE"))
	ask := New(VMethod, "example.test/shop.statement.ToSql|->string,[]any,error", New(VIface, "squirrel.SelectBuilder", chain))
	if v := builderText(ask, 0); v == nil || v.Kind != VMod || v.Str != "squirrel ToSql" || v.Of[0] != chain {
		t.Errorf("the text is %v", v)
	}
	if v := builderText(ask, 1); v == nil || v.Str != "chain args" {
		t.Errorf("the parameters are %v", v)
	}
	for _, other := range []*Val{
		New(VMethod, "example.test/shop.statement.Name|->string", chain),
		New(VMethod, "example.test/shop.statement.ToSql|->string,[]any,error", New(VParam, "1")),
	} {
		if v := builderText(other, 0); v != nil {
			t.Errorf("%v makes %v", other, v)
		}
	}
}
