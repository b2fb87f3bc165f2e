package locksummary

import (
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// step adds a call to a builder chain.
func step(base *prog.Val, method string, args ...*prog.Val) *prog.Val {
	return prog.New(prog.VMod, method, append([]*prog.Val{base}, args...)...)
}

func record(typ string, fields ...*prog.Val) *prog.Val {
	out := prog.New(prog.VRecord, typ)
	for i := 0; i+1 < len(fields); i += 2 {
		out.Of = append(out.Of, prog.New(prog.VInit, typ+"."+fields[i].Str, fields[i+1]))
	}
	return out
}

func TestChain(t *testing.T) {
	r := NewResolver(schema.New())
	r.Learn(&prog.Package{
		Names: []prog.Name{{Of: "table m.Gad", Name: "gadgets"}},
		Structs: []prog.Struct{
			{Type: "m.Widget", Fields: []prog.StructField{{Name: "ID", Type: "string"}, {Name: "State", Type: "string"}}},
			{Type: "m.Gad", Fields: []prog.StructField{{Name: "ID", Type: "string"}}},
		},
	})
	db := prog.New(prog.VHandle, "gorm", prog.New(prog.VParam, "0"))
	id := prog.New(prog.VParam, "1")
	widget := prog.New(prog.VIface, "*m.Widget", record("m.Widget"))
	locking := func(strength *prog.Val) *prog.Val {
		return prog.New(prog.VIface, "gorm.io/gorm/clause.Locking", record("gorm.io/gorm/clause.Locking", prog.New(prog.VHole, "Strength"), strength))
	}
	first := func(base *prog.Val) *prog.Val {
		return step(step(base, "gorm Where", prog.Text("id = ?"), id), "gorm First", widget)
	}
	const one = `SELECT * FROM "widgets" WHERE id = $1 ORDER BY "widgets"."id" LIMIT 1`
	for _, tt := range []struct {
		name  string
		chain *prog.Val
		want  string // texts, one a line
		why   string // part of the reason
	}{
		{"reads", first(db), one, ""},
		{"locks", first(step(db, "gorm Clauses", locking(prog.Text("UPDATE")))), one + " FOR UPDATE", ""},
		{"asked for by the caller", first(prog.New(prog.VHandle, "gorm", step(db, "gorm Clauses", locking(prog.Text("SHARE"))))), one + " FOR SHARE", ""},
		{"one of two strengths", first(step(db, "gorm Clauses", locking(prog.New(prog.VChoice, "t1", prog.Text("SHARE"), prog.Text("UPDATE"))))),
			one + " FOR SHARE\n" + one + " FOR UPDATE", ""},
		{"on one way only", first(prog.New(prog.VChoice, "t1", db, step(db, "gorm Clauses", locking(prog.Text("UPDATE"))))), one + "\n" + one + " FOR UPDATE", ""},
		{"strength not known", first(step(db, "gorm Clauses", locking(prog.New(prog.VParam, "2")))), "", "strength"},
		{"a choice of values decides nothing", step(step(db, "gorm Where", prog.Text("state = ?"), prog.New(prog.VChoice, "t1", prog.Text("a"), id)), "gorm First", widget),
			`SELECT * FROM "widgets" WHERE state = $1 ORDER BY "widgets"."id" LIMIT 1`, ""},
		{"scope", first(step(db, "gorm Scopes", prog.New(prog.VApply, prog.Scope, step(prog.Hole(prog.Scope), "gorm Clauses", locking(prog.Text("UPDATE")))))), one + " FOR UPDATE", ""},
		{"scope without effect", first(step(db, "gorm Scopes", prog.New(prog.VApply, prog.Scope, prog.Hole(prog.Scope)))), one, ""},
		{"table by method", step(db, "gorm Find", prog.New(prog.VIface, "*[]m.Gad", prog.Nil)), `SELECT * FROM "gadgets"`, ""},
		{"no model", step(db, "gorm Find", prog.New(prog.VParam, "3")), "", "table not known"},
		{"raw text of pop with a gap", step(step(db, "pop RawQuery", prog.New(prog.VConcat, "", prog.Text("SELECT id FROM "), id, prog.Text(" WHERE id = ? FOR UPDATE")), id), "pop First", widget),
			"SELECT id FROM " + prog.HoleName(1) + " WHERE id = $1 FOR UPDATE", ""},
		{"squirrel with its handle", step(step(step(prog.Hole("start"), "squirrel Delete", prog.Text("widgets")), "squirrel RunWith 1", db), "squirrel ExecContext"),
			"DELETE FROM widgets", ""},
		{"placeholders", step(prog.Hole("start"), "bind ?", prog.Text("SELECT pg_advisory_xact_lock(?, ?)"), prog.Int(1), id), "SELECT pg_advisory_xact_lock($1, $2)", ""},
		{"a name of bun that is put in", step(step(prog.New(prog.VParam, "0"), "bun NewRaw", prog.Text("SELECT id FROM ?0.accounts WHERE id = ?1 FOR UPDATE"),
			prog.New(prog.VIface, "github.com/uptrace/bun/schema.Ident", id), id), "bun Exec"), `SELECT id FROM "` + prog.HoleName(1) + `".accounts WHERE id = $1 FOR UPDATE`, ""},
		{"a prepared statement is no chain", step(db, "stmt", prog.Text("SELECT 1")), "", ""},
	} {
		texts, why := r.Chain(tt.chain)
		var got []string
		for _, x := range texts {
			got = append(got, x.Text)
		}
		if strings.Join(got, "\n") != tt.want || !strings.Contains(why, tt.why) || tt.why != "" && len(got) > 0 {
			t.Errorf("%s: %q, %q, want %q, %q", tt.name, got, why, tt.want, tt.why)
		}
	}
}

// TestChainParams checks which values the parameters of a text stand for.
func TestChainParams(t *testing.T) {
	r := NewResolver(schema.New())
	a, b := prog.New(prog.VParam, "1"), prog.New(prog.VParam, "2")
	texts, _ := r.Chain(step(prog.Hole("start"), "bind :name", prog.Text("SELECT id FROM t WHERE a = :a AND b = :b AND c = :a"),
		prog.New(prog.VRecord, "map[string]any", prog.New(prog.VInit, `s:"b"`, b), prog.New(prog.VInit, `s:"a"`, a))))
	if len(texts) != 1 || len(texts[0].Params) != 2 || texts[0].Params[0] != a || texts[0].Params[1] != b {
		t.Errorf("got %+v", texts)
	}
	if want := "SELECT id FROM t WHERE a = $1 AND b = $2 AND c = $1"; texts[0].Text != want {
		t.Errorf("got %q, want %q", texts[0].Text, want)
	}
	texts, _ = r.Chain(step(prog.Hole("start"), "bind ?", prog.Text("SELECT ?")))
	if len(texts) != 1 || texts[0].Params != nil {
		t.Errorf("text without arguments takes those of the call: %+v", texts)
	}
}
