package symval

import (
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// The helpers of runtime/locks are known without their source: a family is a
// record of the SQL that makes its keys, a key one of its family and its id.
// Whoever holds one, in a variable, a field or a parameter, has the record.
const (
	lockOne  = prog.FamilyText + "one"  // SQL of a key, with $1 for the id
	lockEach = prog.FamilyText + "each" // the same for t.id
	lockKind = prog.FamilyText + "kind"
	lockFam  = "locks.Key.family"
	lockID   = "locks.Key.id"
	lockMany = "locks.Key.many"
)

func record(typ string, fields ...any) *prog.Val {
	var of []*prog.Val
	for i := 0; i < len(fields); i += 2 {
		of = append(of, prog.New(prog.VInit, fields[i].(string), fields[i+1].(*prog.Val)))
	}
	return prog.New(prog.VRecord, typ, of...)
}

// part returns a field of a record, or the field of a value yet unknown.
func part(v *prog.Val, field string) *prog.Val {
	if v.Kind == prog.VRecord {
		for _, in := range v.Of {
			if in.Str == field {
				return in.Of[0]
			}
		}
	}
	return prog.New(prog.VField, field, v)
}

// lockFamily returns the record of a family that is made here.
func (f *Func) lockFamily(c *Call) *prog.Val {
	name, known := f.Arg(c, c.API.Name).AsText()
	if !known {
		return prog.Hole("the name of a lock family is not constant")
	}
	switch c.API.What {
	case "hash":
		prefix, seed := name+":", "0"
		for _, o := range f.Arg(c, c.API.Opts).Of {
			switch {
			case o.Kind == prog.VApply && strings.HasSuffix(o.Str, "locks.Prefix") && len(o.Of) == 1:
				if prefix, known = o.Of[0].AsText(); !known {
					return prog.Hole("the prefix of a lock family is not constant")
				}
			case o.Kind == prog.VApply && strings.HasSuffix(o.Str, "locks.Seed") && len(o.Of) == 1:
				if seed, known = integer(o.Of[0]); !known {
					return prog.Hole("the seed of a lock family is not constant")
				}
			}
		}
		quoted := "'" + strings.ReplaceAll(prefix, "'", "''") + "'"
		return family("hash", "hashtextextended("+quoted+" || $1, "+seed+")", "hashtextextended("+quoted+" || t.id, "+seed+")")
	case "pair":
		if ns, ok := integer(f.Arg(c, c.API.Value)); ok {
			return family("pair", ns+", $1::int4", ns+", t.id::int4")
		}
		return prog.Hole("the namespace of a lock family is not constant")
	case "number":
		return family("number", "$1::int8", "t.id::int8")
	case "constant":
		if n, ok := integer(f.Arg(c, c.API.Value)); ok {
			return record("locks.Key", lockFam, family("constant", n+"::int8", n+"::int8"), lockID, prog.Nil)
		}
		return prog.Hole("a lock key is not constant")
	}
	column, known := f.Arg(c, c.API.Value).AsText()
	if !known {
		return prog.Hole("the column of locked rows is not constant")
	}
	return family("rows", "SELECT "+column+" FROM "+name+" WHERE "+column+" = ANY($1) ORDER BY "+column, "")
}

func family(kind, one, each string) *prog.Val {
	return record("locks.Family", lockKind, prog.Text(kind), lockOne, prog.Text(one), lockEach, prog.Text(each))
}

func integer(v *prog.Val) (string, bool) {
	if v.Kind != prog.VConst {
		return "", false
	}
	return strings.CutPrefix(v.Str, "i:")
}

// lockKey returns the record of a key, or of the keys of several ids.
func (f *Func) lockKey(c *Call) *prog.Val {
	many := prog.Text("")
	if c.API.Rows {
		many = prog.Text("many")
	}
	return record("locks.Key", lockFam, f.Arg(c, c.API.Handle), lockID, f.Arg(c, c.API.Value), lockMany, many)
}

// lockResult returns a result of taking a key: what a session lock lives on,
// whether it was granted, or the error.
func (f *Func) lockResult(c *Call, i int) *prog.Val {
	id := itoa(c.ID)
	switch {
	case i == c.API.ErrResult:
		return prog.New(prog.VResult, id+".1")
	case c.API.What == "session" && i != c.API.Result:
		return prog.New(prog.VResult, itoa(c.ID+LockOpens)+".0")
	case i == c.API.Result:
		return prog.New(prog.VScan, id+".0", prog.New(prog.VResult, id+".0"))
	}
	return nil
}

// LockOpens is what is added to the number of a call that takes a session
// lock for the number of the connection it opens.
const LockOpens = 1 << 24

// A LockTaken is a statement that a call of runtime/locks amounts to.
type LockTaken struct {
	SQL  *prog.Val
	Args []*prog.Val
}

// LockSQL returns the statements by which a call takes its keys, in order;
// verb is the lock function without its brackets.
func (f *Func) LockSQL(c *Call, verb string) []LockTaken {
	key := f.Arg(c, c.API.Key)
	if c.API.What != "all" {
		return []LockTaken{one(key, verb)}
	}
	var out []LockTaken
	for _, k := range lockList(key) {
		switch many, _ := part(k, lockMany).AsText(); {
		case many != "":
			each := part(part(k, lockFam), lockEach)
			out = append(out, LockTaken{prog.New(prog.VConcat, "", prog.Text("SELECT "+verb+"("), each, prog.Text(") FROM unnest($1) AS t(id) ORDER BY "), each), []*prog.Val{part(k, lockID)}})
		case k.Kind == prog.VRecord:
			out = append(out, one(k, verb))
		default:
			out = append(out, LockTaken{SQL: prog.Hole("the keys of LockAll are not known here")})
		}
	}
	return out
}

func one(key *prog.Val, verb string) LockTaken {
	sql := part(part(key, lockFam), lockOne)
	return LockTaken{prog.New(prog.VConcat, "", prog.Text("SELECT "+verb+"("), sql, prog.Text(")")), []*prog.Val{part(key, lockID)}}
}

// lockList takes a list of keys apart.
func lockList(v *prog.Val) []*prog.Val {
	switch {
	case v.Kind == prog.VList:
		var out []*prog.Val
		for _, o := range v.Of {
			out = append(out, lockList(o)...)
		}
		return out
	case v.Kind == prog.VApply && v.Str == "go:append":
		var out []*prog.Val
		for _, o := range v.Of {
			out = append(out, lockList(o)...)
		}
		return out
	}
	return []*prog.Val{v}
}

// LockRows returns the statement by which LockRows locks its rows; nowait
// says that it does not wait.
func (f *Func) LockRows(c *Call, nowait bool) LockTaken {
	modes := map[string]string{"3": "KEY SHARE", "4": "SHARE", "5": "NO KEY UPDATE", "6": "UPDATE"}
	n, _ := integer(f.Arg(c, c.API.Mode))
	strength := prog.Hole("the mode of LockRows is not constant")
	if m, ok := modes[n]; ok {
		strength = prog.Text(m)
	}
	tail := ""
	if nowait {
		tail = " NOWAIT"
	}
	rows := f.Arg(c, c.API.Key)
	return LockTaken{prog.New(prog.VConcat, "", part(rows, lockOne), prog.Text(" FOR "), strength, prog.Text(tail)), []*prog.Val{f.Arg(c, c.API.Value)}}
}
