package effect

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pglockdep/pglockdep/internal/pgsql"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Step is one statement of a script, with what it does to the schema that
// those before it left.
type Step struct {
	SQL  string
	Line int // in the file
	Ops  []prog.Op
}

// Script plays a script that starts at a line of a file, such as a
// migration. It grows cat by what the script defines.
func Script(cat *schema.Catalog, file, text string, line int) []Step {
	var out []Step
	cat.ApplyEach(file, text, line, func(st pgsql.Stmt, at int) {
		out = append(out, Step{SQL: st.Text, Line: at, Ops: play(cat, func(m *machine) {
			m.script, m.at.file, m.at.line = st.Text, file, at
			m.one(st, false)
		})})
	})
	return out
}

// play runs f on a machine of its own and returns what it does; a fault of
// our own ends it there, and is listed.
func play(cat *schema.Catalog, f func(m *machine)) (ops []prog.Op) {
	m := newMachine(cat)
	m.ops = opRoom.Get().(*[]prog.Op)
	defer func() {
		if p := recover(); p != nil {
			m.broken(p)
		}
		ops = m.cut(0)
		if cap(*m.ops) <= maxRoom {
			opRoom.Put(m.ops)
		}
	}()
	f(m)
	m.settle(atEnd) // what waits for a COMMIT that is not there
	return nil
}

// opRoom holds room for the ops of a text while they are made.
var opRoom = sync.Pool{New: func() any { return new([]prog.Op) }}

const maxRoom = 512 // ops

// A Call is what makes a function of the schema run.
type Call struct {
	When string // the event of a trigger, "" for a call
	SQL  string
	Ops  []prog.Op
}

// Calls tells what a function of the schema does for each that makes it run:
// a call, its parameters being sqlparam 1, 2 …, or the events of the triggers
// that run it.
func Calls(cat *schema.Catalog, fn *schema.Function) []Call {
	if fn.Returns != "trigger" && fn.Returns != "event_trigger" {
		return []Call{call(cat, fn)}
	}
	var out []Call
	for _, name := range sortedNames(cat.Relations) {
		r := cat.Relations[name]
		for _, t := range r.Triggers {
			if t.Function != fn.Name || t.Disabled {
				continue
			}
			for _, event := range t.Events {
				out = append(out, Call{When: strings.ToUpper(event) + " on " + r.Name, SQL: "-- trigger " + t.Name + ", " + event + " on " + r.Name,
					Ops: play(cat, func(m *machine) {
						c := &change{kind: event, ref: m.ref(r)}
						m.statement(func() { m.trigger(c, t) })
					})})
			}
		}
	}
	if len(out) == 0 { // no trigger of the schema runs it; one that the program makes may
		out = append(out, call(cat, fn))
	}
	return out
}

func call(cat *schema.Catalog, fn *schema.Function) Call {
	var names []string
	var args []*prog.Val
	for i, a := range inputs(fn) {
		name := a.Name
		if name == "" {
			name = "$" + strconv.Itoa(i+1)
		}
		names = append(names, name)
		args = append(args, prog.New(prog.VSQLParam, strconv.Itoa(i+1)))
	}
	verb := "SELECT "
	if fn.Procedure {
		verb = "CALL "
	}
	return Call{SQL: verb + fn.Name + "(" + strings.Join(names, ", ") + ")", Ops: play(cat, func(m *machine) {
		m.statement(func() { m.enter(fn, m.at, bind(fn, args)) })
	})}
}

// Title is the name of a function, with the types of its parameters when
// several functions share it.
func Title(cat *schema.Catalog, fn *schema.Function) string { return newMachine(cat).title(fn) }

func sortedNames[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
