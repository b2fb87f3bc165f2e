package dbapi

import (
	"slices"
	"strings"
	"sync"
)

// Shape tells by its signature alone what a method does that no table names:
// methods of a project's own interface over pool and transaction, such as
// the DBTX of generated code. Types are written as types.TypeString does with
// full paths; params leaves the receiver out.
//
// Exec, Query and QueryRow, with or without Context, run SQL when they take
// an optional context, a string and variadic values, and return what such
// methods return; Get and Select have a destination before the string. The rest of a handle's methods count only with the types
// of a database library in them; Commit and Rollback are Weak.
func Shape(method string, params, results []string, variadic bool) (Call, bool) {
	c := newCall()
	c.Func, c.Lib, c.Handle = method, "shape", 0
	at := 0
	if len(params) > 0 && params[0] == "context.Context" {
		c.Ctx, at = 1, 1
	}
	rest := params[at:]
	if n := len(results); n > 0 && results[n-1] == "error" {
		c.ErrResult = n - 1
	}
	if n := len(params); variadic && n > 0 && strings.HasSuffix(params[n-1], "google.golang.org/grpc.CallOption") {
		// A client generated from a service definition.
		c.Does, c.What, c.Result = External, "grpc", 0
		return c, true
	}
	if len(results) > 0 {
		if lib, ok := ChainType(results[0]); ok {
			if b, ok := starters()[lib+" "+method]; ok { // a builder begins on what the interface holds
				b.Func = method
				return b, true
			}
		}
	}
	if c, ok := like(method, params, results); ok {
		return c, true
	}
	if shapeExec(&c, method, rest, results, variadic, at) || shapeRead(&c, method, rest, results, variadic, at) || shapeSession(&c, method, rest, results, at) {
		return c, true
	}
	return Call{}, false
}

// like returns what the method of a library's interface does whose name the
// method of another one has, with a type of the library in its signature.
func like(method string, params, results []string) (Call, bool) {
	for _, typ := range slices.Concat(params, results) {
		for name, of := range library().Likes {
			if !strings.Contains(typ, name) {
				continue
			}
			c, ok := library().Calls["("+of+")."+method]
			fits := func(at int, what ...string) bool {
				return at <= 0 || at <= len(params) && slices.ContainsFunc(what, func(w string) bool { return strings.HasPrefix(params[at-1], w) })
			}
			if ok && fits(c.Ctx, "context.Context") && fits(c.SQL, "any", "interface{}", "string") && fits(c.Callback, "func(") {
				return c, true
			}
		}
	}
	return Call{}, false
}

// starters are the methods by which a handle begins a chain, by library and
// name.
var starters = sync.OnceValue(func() map[string]Call {
	out := map[string]Call{}
	for sym, c := range library().Calls {
		if c.Does == Builder && c.Handle == 0 && c.Binds == 0 {
			out[c.Lib+" "+sym[strings.LastIndexByte(sym, '.')+1:]] = c
		}
	}
	return out
})

// OpenShape tells by its signature that a function of a library opens a pool
// as sql.Open does: Open or Connect with the name of a driver and a data
// source, such as those that trace what sql.Open's pool does.
func OpenShape(function string, names, params, results []string) (Call, bool) {
	c := newCall()
	if !strings.HasPrefix(function, "Open") && !strings.HasPrefix(function, "Connect") || len(results) == 0 || HandleKind(results[0]) != "pool" {
		return c, false
	}
	at := 0
	if len(params) > 0 && params[0] == "context.Context" {
		at = 1
	}
	if len(params) < at+2 || params[at] != "string" || params[at+1] != "string" || !strings.HasPrefix(strings.ToLower(names[at]), "driver") {
		return c, false
	}
	c.Func, c.Lib, c.Does, c.Opens, c.Driver, c.DSN, c.Result = function, "shape", Open, "pool", at, at+1, 0
	if last := len(results) - 1; results[last] == "error" {
		c.ErrResult = last
	}
	return c, true
}

// shapeExec fills c for methods that run or prepare SQL text.
func shapeExec(c *Call, method string, rest, results []string, variadic bool, at int) bool {
	base := strings.TrimSuffix(method, "Context")
	if strings.HasPrefix(base, "Prepare") {
		if base == "Prepare" && len(rest) == 1 && rest[0] == "string" && len(results) == 2 && HandleKind(results[0]) == "stmt" {
			c.Does, c.SQL, c.Result = Prepare, at+1, 0
			return true
		}
		return false
	}
	if !variadic || len(rest) != 2 || rest[0] != "string" || !anySlice(rest[1]) {
		return false
	}
	switch base {
	case "Exec", "Query", "Queryx":
		if len(results) != 2 || c.ErrResult != 1 {
			return false
		}
	case "Queue":
		if len(results) != 1 || !strings.HasSuffix(results[0], "/pgx/v5.QueuedQuery") {
			return false
		}
		c.Does, c.SQL, c.Args, c.Result = Queue, at+1, at+2, 0
		return true
	case "QueryRow", "QueryRowx":
		if len(results) != 1 || c.ErrResult == 0 {
			return false
		}
		c.Row = true
	default:
		return false
	}
	c.Does, c.SQL, c.Args, c.Result = Exec, at+1, at+2, 0
	c.Rows = base == "Query" || base == "Queryx"
	c.Holds = c.Rows || c.Row
	return true
}

// shapeRead fills c for the methods of sqlx and its kin that read into a
// destination: Get and Select with SQL text, the named ones with a struct or
// map of parameters, BindNamed, which makes text and parameters for another
// call, and Rebind, which only rewrites placeholders.
func shapeRead(c *Call, method string, rest, results []string, variadic bool, at int) bool {
	isAny := func(t string) bool { return t == "any" || t == "interface{}" }
	switch strings.TrimSuffix(method, "Context") {
	case "Get", "Select":
		if !variadic || len(rest) != 3 || !isAny(rest[0]) || rest[1] != "string" || !anySlice(rest[2]) || len(results) != 1 || c.ErrResult != 0 {
			return false
		}
		c.Does, c.Scans, c.SQL, c.Args, c.ScanOne = Exec, at+1, at+2, at+3, true
		c.Row = strings.HasPrefix(method, "Get")
		c.Rows = !c.Row
	case "NamedExec", "NamedQuery":
		if variadic || len(rest) != 2 || rest[0] != "string" || !isAny(rest[1]) || len(results) != 2 || c.ErrResult != 1 {
			return false
		}
		c.Does, c.SQL, c.Args, c.Named, c.Style, c.Result = Exec, at+1, at+2, true, ":name", 0
		c.Rows = strings.HasPrefix(method, "NamedQuery")
		c.Holds = c.Rows
	case "BindNamed":
		if len(rest) != 2 || rest[0] != "string" || !isAny(rest[1]) || len(results) != 3 || results[0] != "string" || c.ErrResult != 2 {
			return false
		}
		c.Does, c.SQL, c.Args, c.Named, c.Style, c.Result, c.ArgsResult = ToSQL, at+1, at+2, true, ":name", 0, 1
	case "Rebind":
		if len(rest) != 1 || rest[0] != "string" || len(results) != 1 || results[0] != "string" {
			return false
		}
		c.Does, c.SQL, c.Result, c.Weak = Pure, at+1, 0, true
	default:
		return false
	}
	return true
}

// shapeSession fills c for methods that open, end or feed a session.
func shapeSession(c *Call, method string, rest, results []string, at int) bool {
	kind := ""
	if len(results) > 0 {
		kind = HandleKind(results[0])
	}
	switch {
	case method == "Begin" || method == "BeginTx" || method == "BeginTxx" || method == "Beginx":
		if len(results) != 2 || c.ErrResult != 1 || kind != "tx" || len(rest) > 1 {
			return false
		}
		c.Does, c.Opens, c.Result, c.Nests = Begin, "tx", 0, true
		c.CtxEnds = c.Ctx >= 0 && results[0] == "*database/sql.Tx"
		if len(rest) == 1 {
			c.Opts = at + 1
		}
	case (method == "Acquire" || method == "Conn") && len(results) == 2 && c.ErrResult == 1 && kind == "conn" && len(rest) == 0 && at == 1:
		c.Does, c.Opens, c.Result = Acquire, "conn", 0
	case method == "SendBatch" && len(rest) == 1 && HandleKind(rest[0]) == "batch":
		c.Does, c.Batch, c.Result = SendBatch, at+1, 0
	case method == "CopyFrom" && len(rest) == 3 && strings.HasSuffix(rest[0], ".Identifier") && c.ErrResult == 1:
		c.Does, c.Table = CopyFrom, at+1
	case (method == "Commit" || method == "Rollback") && len(rest) == 0 && len(results) == 1 && c.ErrResult == 0:
		c.Does, c.Ends, c.Weak = Commit, "commit", true
		if method == "Rollback" {
			c.Does, c.Ends = Rollback, "rollback"
		}
	default:
		return false
	}
	return true
}

// anySlice reports whether typ is the type of a variadic …any parameter, in
// any of its spellings.
func anySlice(typ string) bool {
	switch strings.ReplaceAll(typ, " ", "") {
	case "[]any", "[]interface{}", "...any", "...interface{}":
		return true
	}
	return false
}
