package sample

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// An expectation is expect.json of a sample: what people read out of its
// source.
type expectation struct {
	Locks       []expectedLock       `json:"locks"`
	Paths       []expectedPath       `json:"paths"`
	Rules       []expectedRule       `json:"rules"`
	Differences []expectedDifference `json:"differences"`
	Also        []expectedFinding    `json:"also"`
}

type expectedLock struct {
	Name       string              `json:"name"`
	Told       string              `json:"told"`
	Family     string              `json:"family"`
	Space      string              `json:"space"`
	KeyExpr    string              `json:"key_expr"`
	Derivation string              `json:"derivation"`
	Constant   string              `json:"constant"`
	Prefix     string              `json:"prefix"`
	Relation   string              `json:"relation"`
	Also       []string            `json:"also"`
	Mode       string              `json:"mode"`
	Wait       string              `json:"wait"`
	By         []string            `json:"by"`
	AlsoModes  map[string][]string `json:"also_modes"`
	Implicit   bool                `json:"implicit"`
}

type expectedPath struct {
	Entry string            `json:"entry"`
	Order []json.RawMessage `json:"order"`
}

type expectedRule struct {
	ID         int             `json:"id"`
	Form       string          `json:"form"`
	A          string          `json:"a"`
	B          json.RawMessage `json:"b"`
	Kind       string          `json:"kind"`
	Exceptions []string        `json:"exceptions"`
	Text       string          `json:"text"`
}

type expectedDifference struct {
	Form  string   `json:"form"`
	Funcs []string `json:"funcs"`
	About string   `json:"about"`
}

type expectedFinding struct {
	Kind  string   `json:"kind"`
	Sure  bool     `json:"sure"`
	Funcs []string `json:"funcs"`
	About string   `json:"about"`
}

func readExpectation(dir string) (*expectation, error) {
	data, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err != nil {
		return nil, err
	}
	e := &expectation{}
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("expect.json: %w", err)
	}
	return e, nil
}

// A step is one node of an expected order.
type step struct {
	Tx        string              `json:"tx"`
	Steps     []json.RawMessage   `json:"steps"`
	Loop      []json.RawMessage   `json:"loop"`
	Order     string              `json:"order"`
	Branch    [][]json.RawMessage `json:"branch"`
	Statement string              `json:"statement"`
	Many      string              `json:"many"`
}

// A told order is a path's order with the order of each loop that locks:
// "SYMBOL: ORDER" for each lock and the loop around it, innermost first.
type told struct {
	order *order
	loops map[string]bool
}

func (t *told) loop(o *order, by string) {
	for s := range o.firstLevel() {
		t.loops[s+": "+by] = true
	}
}

// firstLevel returns the locks of o that no inner loop takes.
func (o *order) firstLevel() map[string]bool {
	out := map[string]bool{}
	var walk func(o *order)
	walk = func(o *order) {
		if o == nil {
			return
		}
		if o.symbol != "" && !bound(o.symbol) {
			out[o.symbol] = true
		}
		for _, p := range o.seq {
			walk(p)
		}
		for _, p := range o.alts {
			walk(p)
		}
	}
	walk(o)
	return out
}

// expected turns the order of an expected path into an order over symbols.
func expected(raw []json.RawMessage) (*told, error) {
	t := &told{loops: map[string]bool{}}
	o, err := t.expect(raw)
	t.order = o
	return t, err
}

func (t *told) expect(raw []json.RawMessage) (*order, error) {
	out := &order{}
	for _, r := range raw {
		o, err := t.expectStep(r)
		if err != nil {
			return nil, err
		}
		if o.locks() {
			out.seq = append(out.seq, o)
		}
	}
	return out, nil
}

func (t *told) expectStep(raw json.RawMessage) (*order, error) {
	var lock string
	if json.Unmarshal(raw, &lock) == nil {
		return symbol(lock), nil
	}
	var s step
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("expect.json: %s: %w", raw, err)
	}
	switch {
	case s.Many != "":
		t.loops[s.Many+": "+s.Order] = true
		return symbol(s.Many), nil
	case s.Tx != "":
		in, err := t.expect(s.Steps)
		if err != nil || !own(s.Tx) {
			return in, err
		}
		return sequence(symbol("begin "+s.Tx), in, symbol("end")), nil
	case s.Branch != nil:
		var arms []*order
		for _, b := range s.Branch {
			arm, err := t.expect(b)
			if err != nil {
				return nil, err
			}
			arms = append(arms, arm)
		}
		return choice(arms), nil
	case s.Loop != nil:
		in, err := t.expect(s.Loop)
		if err != nil {
			return nil, err
		}
		t.loop(in, s.Order)
		return repeat(in), nil
	}
	return nil, fmt.Errorf("expect.json: %s: no lock, transaction, branch or loop", raw)
}

// own reports whether a path begins and ends the transaction itself.
func own(kind string) bool { return kind == "Materializing" || kind == "RuleChange" || kind == "plain" }

// A teller names the steps of the manifest's paths as the expectation does.
type teller struct {
	names map[string]string // class id → name in paths
	kinds map[string]string // helper that begins a transaction → kind
	skip  func(s lockgraph.Step) bool
}

func (n *teller) path(steps []lockgraph.Step) *told {
	t := &told{loops: map[string]bool{}}
	t.order = n.steps(t, steps)
	return t
}

func (n *teller) steps(t *told, steps []lockgraph.Step) *order {
	out := &order{}
	for _, s := range steps {
		if o := n.step(t, s); o.locks() {
			out.seq = append(out.seq, o)
		}
	}
	return out
}

func (n *teller) step(t *told, s lockgraph.Step) *order {
	switch s.Do {
	case "lock":
		if n.skip(s) {
			return &order{}
		}
		name := n.symbol(s)
		if s.Many && s.Order != "" && s.Order != "plan" {
			t.loops[name+": "+s.Order] = true
		}
		return symbol(name)
	case "tx":
		in := n.steps(t, s.Steps)
		if s.Handle == "caller" {
			return in
		}
		kind := n.kinds[s.Kind]
		if kind == "" {
			kind = "plain"
		}
		return sequence(symbol("begin "+kind), in, symbol("end"))
	case "branch":
		var arms []*order
		for _, a := range s.Arms {
			arms = append(arms, n.steps(t, a.Steps))
		}
		return choice(arms)
	case "loop":
		in := n.steps(t, s.Steps)
		t.loop(in, s.Order)
		return repeat(in)
	case "see":
		return symbol("see " + s.Entry)
	}
	return &order{}
}

func (n *teller) symbol(s lockgraph.Step) string {
	name := n.names[s.Class]
	if name == "" {
		name = s.Class
	}
	name += " " + s.Mode
	if s.Wait != "" && s.Wait != "wait" {
		name += " " + strings.ToUpper(s.Wait)
	}
	return name
}
