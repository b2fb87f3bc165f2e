package lockgraph

import (
	"strconv"
	"strings"
)

// A Take is one acquisition as a graph is built from it: a class, an
// instance of it, and how it was taken.
type Take struct {
	ID          int    // number of the acquisition within its trace
	Class       string // id
	Family      string
	Mode        string
	Wait        string
	Scope       string
	Inst        Inst
	Session     int    // which server session of the trace
	Again       string // no, same, maybe: as the trace knows it
	Fresh       bool   // a row that this transaction inserted
	Own         bool   // wanted: may be a row that this transaction inserted: which one it is was lost on the way
	SoftDeleted string // a row that is taken only where this column says that it is soft-deleted
	Rechecked   bool   // the check of a foreign key that is made only where the transaction changed the referring row before
	Refuses     bool   // a row at whose sight the statement fails
	Implicit    bool   // taken by a statement that does not ask for a lock
	Many        bool
	Carried     bool   // taken in an earlier turn of a loop
	Stands      string // held: where its key is known to stand to that of the wanted one, "below" or "above"
	Bounded     bool   // its wait ends by lock_timeout
	InLoop      bool   // taken in a loop of its trace
	FKFrom      string
	Via         []string // "foreign key NAME", "trigger NAME", "function F"
	Order       string
	Cut         string
	Frames      []Frame // from the entry to this acquisition, in order
}

// An Inst is the instance that a Take names, in canonical texts: equal texts
// within one trace are equal values. A constant is written
// `const "s:text"` or `const "i:5"`, an unknown value begins with `hole`,
// and a package variable with `global`; any other text is a value of its
// trace alone.
type Inst struct {
	Known   bool     // named exactly: a whole advisory key, a whole unique key of a row
	Single  bool     // the class has one instance: a constant key, a whole table
	Const   bool     // Text is a constant
	Program bool     // the same one in every run of one program, as it is configured
	Text    string   // the whole instance
	Leaves  []string // the values it is made of, in order
	Columns []Column // rows: what each column is known to equal, sorted by name
	From    []string // classes of the rows it was read from
}

// A Column is a column of a row and the canonical text of its value.
type Column struct{ Name, Value string }

// A Proposal says that one trace wants a lock while it holds others. Takes
// are not changed any more; a trace best proposes the same ones again.
type Proposal struct {
	Trace string  // the entry
	Held  []*Take // one held set, in the order taken
	Want  *Take
}

// A ForeignKey is a relation that references another.
type ForeignKey struct{ Child, Parent, OnDelete string }

// Relations are the foreign keys between the relations of row classes.
type Relations []ForeignKey

// constant returns the value of a constant text without its type, so that 5
// and '5', which PostgreSQL reads alike in a key, are one.
func constant(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "const ")
	if !ok {
		return "", false
	}
	if s, err := strconv.Unquote(rest); err == nil {
		rest = s
	}
	if len(rest) > 1 && rest[1] == ':' {
		rest = rest[2:]
	}
	return rest, true
}

func hole(text string) bool { return text == "" || strings.HasPrefix(text, "hole") }

// variable reports whether text is a value that two instances may share.
func variable(text string) bool {
	_, isConst := constant(text)
	return !isConst && !hole(text)
}

// values calls f with every value an instance is made of.
func (in *Inst) values(f func(text string)) {
	for _, l := range in.Leaves {
		f(l)
	}
	for _, c := range in.Columns {
		f(c.Value)
	}
}

func (in *Inst) column(name string) (string, bool) {
	for _, c := range in.Columns {
		if c.Name == name {
			return c.Value, true
		}
	}
	return "", false
}

// covers reports whether holding h means holding w already, both in one
// trace: the same instance, or every column that picks h also picks w. Many
// rows taken with SKIP LOCKED cover nothing: some may be another's.
func covers(held, want *Take) bool {
	h, w := &held.Inst, &want.Inst
	if h.Single && w.Single {
		return true
	}
	if held.Many && held.Wait == SkipLocked {
		return false
	}
	if h.Known && w.Known && h.Text != "" && h.Text == w.Text {
		return true
	}
	if len(h.Columns) == 0 || !h.Known && !held.Many {
		return false
	}
	for _, c := range h.Columns {
		if v, ok := w.column(c.Name); !ok || v != c.Value || hole(v) {
			return false
		}
	}
	return true
}

// blocks reports whether the take can wait for another session at all.
func (t *Take) blocks() bool { return t.Wait == Wait || t.Wait == "" }

// referential reports whether the lock comes from the action of a foreign
// key (CASCADE, SET NULL, SET DEFAULT) rather than from its check, which
// takes FOR KEY SHARE.
func (t *Take) referential() bool {
	for _, v := range t.Via {
		if strings.Contains(v, "cascade") || strings.Contains(v, "set null") || strings.Contains(v, "set default") {
			return true
		}
		if strings.HasPrefix(v, "foreign key ") && t.FKFrom == "" && t.Mode != ForKeyShare {
			return true
		}
	}
	return false
}

// hidden reports whether who reads the statement does not see that it takes
// the lock: nothing there asks for it, or a trigger does.
func (t *Take) hidden() bool { return t.Implicit || t.triggered() }

func (t *Take) triggered() bool {
	for _, v := range t.Via {
		if strings.HasPrefix(v, "trigger ") {
			return true
		}
	}
	return false
}
