package prog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SingleConn reports a pool that the program limits to one connection: all
// that runs on it runs in one session, until that is lost.
func (p *Program) SingleConn(c *Conn) bool {
	if p.ones == nil {
		p.ones = map[string]bool{}
		x := newEvaluator(p)
		for _, k := range p.keys {
			f := p.Funcs[k]
			visit(f.Body, func(o *Op) {
				if o.Kind != OpCheck || o.How != MaxConns || o.Val == nil || o.Val.Str != "i:1" {
					return
				}
				x.left = maxBinds
				if all, ok := x.opens(x.eval(o.Conn, &env{fn: f, uid: k, pure: true}), 0); ok {
					for _, v := range all {
						p.ones[v.Str] = true
					}
				}
			})
		}
	}
	all := p.openedBy(c)
	for _, v := range all {
		if !p.limitsToOne(v.Str) {
			return false
		}
	}
	return len(all) > 0
}

// limitsToOne reports whether the call that opens a pool, or one that hands it
// on, limits it to one connection.
func (p *Program) limitsToOne(open string) bool {
	for open != "" {
		if p.ones[open] {
			return true
		}
		open = open[:max(strings.LastIndexByte(open, '@'), 0)]
	}
	return false
}

// openedAt returns v, and if it is a pool that the call o of a function opens,
// names that call: each call opens another one.
func openedAt(v *Val, e *env, o *Op) *Val {
	switch {
	case v == nil || e.fn == nil:
	case v.Kind == VHandle || v.Kind == VIface:
		if in := openedAt(v.Of[0], e, o); in != v.Of[0] {
			return New(v.Kind, v.Str, in)
		}
	case v.Kind == VApply && strings.HasPrefix(v.Str, "open ") && strings.Count(v.Str, "@") < maxOpeners:
		return New(VApply, v.Str+"@"+e.fn.Key+":"+strconv.Itoa(o.ID), v.Of...)
	}
	return v
}

// maxOpeners bounds the calls that hand an opened pool on and are named.
const maxOpeners = 8

// SamePool tells whether two pools are the same, as far as the program shows
// what opens them or who gives them; known is false where it does not.
func (p *Program) SamePool(a, b *Conn) (same, known bool) {
	x, y := p.originOf(a), p.originOf(b)
	switch {
	case x == nil || y == nil:
		return false, false
	case x.Kind == VApply && y.Kind == VApply:
		if x.Str == y.Str {
			return true, p.opensOne(x.Str)
		}
		// One may have been looked at nearer to where it is opened: then
		// who called there is not known of it.
		return false, !strings.HasPrefix(x.Str+"@", y.Str+"@") && !strings.HasPrefix(y.Str+"@", x.Str+"@")
	case x.Kind == VParam && y.Kind == VParam:
		f, _, _ := strings.Cut(x.Str, "#")
		g, _, _ := strings.Cut(y.Str, "#")
		return x.Str == y.Str, f == g
	}
	return false, false
}

// opensOne reports whether the call named last, of those that open a pool and
// hand it on, is in a function that the program calls from one place.
func (p *Program) opensOne(open string) bool {
	at := open[strings.LastIndexByte(open, '@')+1:]
	key := strings.TrimPrefix(at[:strings.LastIndexByte(at, ':')], "open ")
	for range maxOpeners {
		callers := p.callers[key]
		if len(callers) == 0 {
			return true
		}
		calls := 0
		visit(p.Funcs[callers[0]].Body, func(o *Op) {
			mentions(o.Val, func(v *Val) {
				if v.Str == key {
					calls++
				}
			})
		})
		if len(callers) > 1 || calls > 1 {
			return false
		}
		key = callers[0]
	}
	return false
}

// NeverBegun reports a gorm handle in a field of the receiver that holds no
// transaction as far as the program shows: what is put into the field is
// opened here, or given to a function that nothing in sight calls.
func (p *Program) NeverBegun(c *Conn) bool {
	v := bare(c.Val)
	if c.How != "unknown" || c.Static != "gorm" || c.Opener != nil || v == nil || v.Kind != VField || bare(v.Of[0]).Kind != VParam {
		return false
	}
	never, ok := p.never[v.Str]
	if !ok {
		if len(p.fields[v.Str]) > 0 {
			var all []*Val
			all, never = newEvaluator(p).origins(v, 0)
			never = never && !slices.ContainsFunc(all, fromTx)
		}
		p.never[v.Str] = never
	}
	return never
}

// fromTx reports the parameter of a function named for a transaction.
func fromTx(v *Val) bool {
	fn, _, _ := strings.Cut(v.Str, "#")
	fn = strings.ToLower(short(fn))
	return v.Kind == VParam && (strings.Contains(fn, "tx") || strings.Contains(fn, "transaction"))
}

// FromOutside reports a handle that can only come from parameters of exported
// functions that nothing in sight calls.
func (p *Program) FromOutside(c *Conn) bool {
	if c.Val == nil {
		return false
	}
	all, known := newEvaluator(p).origins(c.Val, 0)
	return known && !slices.ContainsFunc(all, func(o *Val) bool { return o.Kind != VParam })
}

// originOf returns the one call that opens the pool, or the one parameter of a
// function that nothing in sight calls; nil where that is not so.
func (p *Program) originOf(c *Conn) *Val {
	if c == nil || c.How != "pool" || c.Val == nil {
		return nil
	}
	key := nameOf(c.Val)
	v, ok := p.origins[key]
	if !ok {
		all, known := newEvaluator(p).origins(c.Val, 0)
		if known && !slices.ContainsFunc(all, func(o *Val) bool { return !Equal(o, all[0]) }) {
			v = all[0]
		}
		p.origins[key] = v
	}
	return v
}

// openedBy returns the calls that open the pool, nil where not each one is
// known.
func (p *Program) openedBy(c *Conn) []*Val {
	if c == nil || c.How != "pool" || c.Val == nil {
		return nil
	}
	key := nameOf(c.Val)
	if all, ok := p.pools[key]; ok {
		return all
	}
	x := newEvaluator(p)
	all, ok := x.opens(c.Val, 0)
	if !ok {
		all = nil
	}
	p.pools[key] = all
	return all
}

// They match the names of drivers, and the paths of their packages, of other
// databases.
var (
	fileDriver  = regexp.MustCompile(`(?i)sqlite|libsql|duckdb`)
	otherServer = regexp.MustCompile(`(?i)mysql|mariadb|mssql|sqlserver|azuresql|oracle|godror|oci8|clickhouse|snowflake|bigquery|spanner|cassandra|databricks`)
)

// NamesOther reports whether a name or an import path is of another database
// than PostgreSQL.
func NamesOther(name string) bool {
	return fileDriver.MatchString(name) || otherServer.MatchString(name)
}

// otherDatabase reports whether the connection leads to a database that is
// not PostgreSQL: every call in sight that opens its pool names the driver of
// another one. What callers out of sight may give besides counts against a
// file of SQLite, which programs open for tests, not against a server.
func (p *Program) otherDatabase(c *Conn) bool {
	if c = c.source(); c.How != "pool" || c.Val == nil {
		return false
	}
	key := nameOf(c.Val)
	other, known := p.others[key]
	if !known {
		var d drivers
		newEvaluator(p).drivers(c.Val, &d, 0)
		other = !d.ours && (d.server || d.file && !d.given)
		p.others[key] = other
	}
	return other
}

// drivers says what opens a pool: a driver of PostgreSQL or one that is not
// known, of another server, of a file, or callers that are out of sight.
type drivers struct{ ours, server, file, given bool }

// drivers notes in d what opens v, or what v names as a driver.
func (x *evaluator) drivers(v *Val, d *drivers, depth int) {
	v = bare(v)
	if v == nil || depth > maxInside {
		d.ours = true
		return
	}
	if s, ok := v.AsText(); ok {
		switch {
		case fileDriver.MatchString(s):
			d.file = true
		case otherServer.MatchString(s):
			d.server = true
		default:
			d.ours = true
		}
		return
	}
	switch v.Kind {
	case VRecord: // a dialect, or a connector
		x.drivers(Text(v.Str), d, depth+1)
		return
	case VApply:
		if strings.HasPrefix(v.Str, "open ") && len(v.Of) == 1 {
			x.drivers(v.Of[0], d, depth+1)
			return
		}
	case VResult:
		if len(v.Of) == 1 {
			x.drivers(v.Of[0], d, depth+1)
			return
		}
	case VChoice:
		for _, o := range v.Of {
			if !o.IsNil() {
				x.drivers(o, d, depth+1)
			}
		}
		return
	case VParam:
		key, _, _ := strings.Cut(v.Str, "#")
		if r := x.handedTo(v); r != nil {
			x.drivers(r, d, depth+1)
			return
		}
		if f := x.p.Funcs[key]; f != nil && f.Exported && len(x.p.runners(key)) == 0 {
			d.given = true
			return
		}
	case VField, VGlobal:
		if r := x.stored(v); r != nil && !Equal(r, v) {
			x.drivers(r, d, depth+1)
			return
		}
	}
	d.ours = true
}

// opens returns the calls that open what v can be; ok is false where not each
// of them is known.
func (x *evaluator) opens(v *Val, depth int) (all []*Val, ok bool) {
	all, ok = x.origins(v, depth)
	return all, ok && !slices.ContainsFunc(all, func(o *Val) bool { return o.Kind != VApply })
}

// origins returns the calls that open what v can be, and the parameters, of
// functions that nothing in sight calls, that it can come from; ok is false
// where not each of them is known.
func (x *evaluator) origins(v *Val, depth int) (all []*Val, ok bool) {
	v = bare(v)
	if v == nil || depth > maxInside {
		return nil, false
	}
	switch v.Kind {
	case VApply:
		return []*Val{v}, strings.HasPrefix(v.Str, "open ")
	case VResult:
		if len(v.Of) == 1 {
			return x.origins(v.Of[0], depth+1)
		}
	case VChoice, VList:
		for _, o := range v.Of {
			if o.IsNil() {
				continue
			}
			more, known := x.origins(o, depth+1)
			if !known {
				return nil, false
			}
			all = append(all, more...)
		}
		return all, len(all) > 0
	case VParam:
		if r := x.handedTo(v); r != nil {
			return x.origins(r, depth+1)
		}
		key, at, _ := strings.Cut(v.Str, "#")
		f := x.p.Funcs[key]
		return []*Val{v}, f != nil && f.Exported && atoi(at) >= 0 && !strings.Contains(key, ").") && len(x.p.callers[key]) == 0
	case VField, VElem, VGlobal:
		if r := x.stored(v); r != nil && !Equal(r, v) {
			return x.origins(r, depth+1)
		}
		if v.Kind == VField && strings.HasSuffix(v.Str, ".DB.DB") { // the pool that a library's handle wraps
			return x.origins(v.Of[0], depth+1)
		}
		if v.Kind == VElem { // whichever element it is
			return x.origins(v.Of[0], depth+1)
		}
	}
	return nil, false
}

// maxGivers bounds the calls of a function whose arguments are looked at.
const maxGivers = 16

// handedTo returns what the calls of a plain function give to its parameter, or
// what the function around a closure gives it; nil where none is in sight or
// there are too many.
func (x *evaluator) handedTo(v *Val) *Val {
	key, at, _ := strings.Cut(v.Str, "#")
	f := x.p.Funcs[key]
	if n, ok := strings.CutPrefix(at, "free"); ok && f != nil {
		return x.captured(f, atoi(n))
	}
	i := atoi(at)
	if f == nil || strings.Contains(key, ").") || i < 0 || x.busy["handed "+v.Str] > 0 {
		return nil
	}
	x.busy["handed "+v.Str]++
	left := x.left
	defer func() { x.busy["handed "+v.Str]--; x.left = left }()
	var all []*Val
	seen := map[string]bool{}
	for _, k := range x.p.callers[key] {
		if caller := x.p.Funcs[k]; !seen[k] && (!caller.Test || x.p.Tests) {
			seen[k] = true
			visit(caller.Body, func(o *Op) {
				if o.Val != nil && o.Val.Kind == VFunc && o.Val.Str == key && i < len(o.Args) && len(all) <= maxGivers {
					x.left = maxBinds
					all = append(all, x.bind(o.Args[i], &env{fn: caller, uid: k, pure: true}, 1))
				}
			})
		}
	}
	if len(all) == 0 || len(all) > maxGivers {
		return nil
	}
	return Choose(maxChoice, all...)
}

// captured returns what a closure captures, as the function around it has it.
func (x *evaluator) captured(f *Func, i int) *Val {
	around := x.p.Funcs[f.Parent]
	if around == nil || i < 0 {
		return nil
	}
	var found *Val
	visit(around.Body, func(o *Op) {
		for _, v := range append([]*Val{o.Val}, o.Args...) {
			mentions(v, func(m *Val) {
				if found == nil && m.Kind == VClosure && m.Str == f.Key && i < len(m.Of) {
					found = m.Of[i]
				}
			})
		}
	})
	if found == nil {
		return nil
	}
	x.left = maxBinds
	return x.bind(found, &env{fn: around, uid: around.Key, pure: true}, 1)
}
