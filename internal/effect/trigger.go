package effect

import (
	"strings"

	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// fire runs trigger functions in order and returns the columns of NEW that
// they assign.
func (m *machine) fire(c *change, list []*schema.Trigger) []string {
	var changed []string
	for _, t := range list {
		m.under(m.perRow(c), func() { changed = append(changed, m.trigger(c, t)...) })
	}
	return changed
}

// fireAfter runs an AFTER trigger, or leaves it for COMMIT when it is
// deferred (R7.4).
func (m *machine) fireAfter(c *change, t *schema.Trigger) {
	m.deferrable(t.Name, t.Deferrable, t.InitiallyDeferred, func() { m.trigger(c, t) })()
}

func (m *machine) trigger(c *change, t *schema.Trigger) []string {
	var fn *schema.Function
	for _, f := range m.cat.Functions[t.Function] {
		fn = f
	}
	if fn == nil {
		if len(m.cat.Functions) > 0 {
			m.unknown("function", "function "+t.Function+" of trigger "+t.Name+" is not in the schema")
		}
		return nil
	}
	e := &env{fn: bare(fn.Name), names: make(map[string]*prog.Val, 16), cols: map[string]string{}, set: map[string]bool{}}
	if t.ForEachRow {
		m.images(e, c)
	}
	level := "STATEMENT"
	if t.ForEachRow {
		level = "ROW"
	}
	table := prog.Text(bare(c.ref.name))
	e.names["tg_table_name"], e.names["tg_relname"] = table, table
	e.names["tg_op"], e.names["tg_name"] = prog.Text(strings.ToUpper(c.kind)), prog.Text(t.Name)
	e.names["tg_when"], e.names["tg_level"] = prog.Text(strings.ToUpper(t.Timing)), prog.Text(level)
	var args []*prog.Val
	for _, a := range t.Args {
		args = append(args, prog.Text(a))
	}
	e.names["tg_argv"] = prog.New(prog.VList, "tg_argv", args...)
	e.names["tg_nargs"] = prog.Int(int64(len(args)))
	for _, n := range []string{t.OldTable, t.NewTable} {
		if n != "" {
			e.cols["table "+n] = c.ref.name
		}
	}
	at := m.at.through("trigger " + t.Name)
	if t.When != "" {
		at = at.also(t.When)
		if v, known := m.decideIn(e, t.When); known && !v {
			return nil
		}
	}
	m.enter(fn, at, e)
	var changed []string
	for name := range e.set {
		changed = append(changed, strings.TrimPrefix(name, "new."))
	}
	return sorted(changed)
}

// images lets OLD and NEW stand for the row: by the values that the
// statement gives where they are known, else by its columns.
func (m *machine) images(e *env, c *change) {
	e.cols["new"], e.cols["old"] = c.ref.name, c.ref.name
	for _, p := range c.rows.eq {
		e.names["old."+strings.ToLower(p.Name)] = p.Val
		if c.kind == "update" {
			e.names["new."+strings.ToLower(p.Name)] = p.Val
		}
	}
	for _, s := range c.set {
		e.names["new."+strings.ToLower(s.col)] = s.val
	}
	for col, v := range c.given {
		if c.kind == "insert" && v.Kind == prog.VSQLCol && v.Str == c.ref.name+"."+col {
			v = prog.NewCol(c.ref.name, col)
		}
		e.names["new."+strings.ToLower(col)] = v
	}
	if c.kind == "insert" {
		delete(e.cols, "old")
		m.unset(e, c)
	}
}

// unset gives the columns of NEW that an INSERT leaves out their defaults: a
// constant, or what the new row alone has.
func (m *machine) unset(e *env, c *change) {
	if c.ref.rel == nil || c.given == nil {
		return
	}
	for _, col := range c.ref.rel.Columns {
		name := "new." + strings.ToLower(col.Name)
		if e.names[name] != nil {
			continue
		}
		if e.names[name] = m.defaultOf(c.ref, col.Name); e.names[name].Kind != prog.VConst {
			e.names[name] = prog.NewCol(c.ref.name, col.Name)
		}
	}
}

// decideIn decides a condition of a trigger, if its values are known.
func (m *machine) decideIn(e *env, when string) (value, known bool) {
	saved := m.env
	m.env = e
	defer func() { m.env = saved }()
	s := selectOf("SELECT " + when)
	if s == nil || len(s.GetTargetList()) != 1 {
		return false, false
	}
	return decide(m.val(nil, s.GetTargetList()[0].GetResTarget().GetVal()))
}

func bare(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
