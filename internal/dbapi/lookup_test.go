package dbapi

import (
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for _, tt := range []struct {
		sym  string
		does Action
		what func(Call) bool
	}{
		{"(*database/sql.DB).QueryContext", Exec, func(c Call) bool { return c.Ctx == 1 && c.SQL == 2 && c.Args == 3 && c.Rows }},
		{"(*database/sql.Conn).Close", Release, func(c Call) bool { return c.Ends == "release" }},
		{"(*github.com/jackc/pgx/v5.Conn).Close", Close, func(c Call) bool { return c.Ends == "close" }},
		{"(github.com/jackc/pgx/v5.Tx).Begin", Begin, func(c Call) bool { return c.Opens == "savepoint" }},
		{"github.com/jackc/pgx/v5.BeginFunc", Callback, func(c Call) bool { return c.Handle == 1 && c.Callback == 2 && c.CallbackHandle == 0 }},
		{"github.com/jackc/pgx/v5.CollectRows[T any]", Collect, func(c Call) bool { return c.Callback == 1 }},
		{"(*github.com/jmoiron/sqlx.DB).GetContext", Exec, func(c Call) bool { return c.Scans == 2 && c.SQL == 3 && c.Args == 4 }},
		{"(*gorm.io/gorm.DB).Where", Builder, func(c Call) bool { return c.Lib == "gorm" && c.Handle == 0 }},
		{"(gorm.io/gorm.ChainInterface[T]).Where", Builder, func(c Call) bool { return c.Lib == "gorm" }},
		{"(*github.com/uptrace/bun.DB).RunInTx", Callback, func(c Call) bool { return c.CallbackHandle == 1 && c.CallbackCtx == 0 }},
		{"(*github.com/aws/aws-sdk-go-v2/service/s3.Client).PutObject", External, func(c Call) bool { return c.What == "aws" }},
		{"(github.com/redis/go-redis/v9.cmdable).Get", External, func(c Call) bool { return c.What == "redis" }},
		{"time.Sleep", External, func(c Call) bool { return c.Waits }},
		{"(*github.com/pglockdep/pglockdep/runtime/locks.Locker).TryLock", LockTake, func(c Call) bool { return c.Handle == 2 && c.Key == 3 && c.What == "try" }},
		{"(github.com/pglockdep/pglockdep/runtime/locks.Family[T]).Keys", LockKey, func(c Call) bool { return c.Value == 1 && c.Rows }},
		{"github.com/pglockdep/pglockdep/runtime/locks.LockRows", LockTake, func(c Call) bool { return c.Mode == 5 && c.Wait == 6 }},
		{"github.com/doug-martin/goqu/v9.C", Builder, func(c Call) bool { return c.Lib == "goqu" }},
		{"(github.com/doug-martin/goqu/v9/exp.Comparable).Eq", Builder, func(c Call) bool { return c.Lib == "goqu" && c.Handle == 0 }},
		{"(*sync.WaitGroup).Go", Go, func(c Call) bool { return c.Callback == 1 }},
	} {
		c, ok := Lookup(tt.sym)
		if !ok || c.Does != tt.does || !tt.what(c) {
			t.Errorf("Lookup(%s) = %+v, %v", tt.sym, c, ok)
		}
	}
	for _, sym := range []string{"example.test/bank.Exec", "(*database/sql.DB).Nothing", "", "(", "(*", "[", "github.com/jackc/pgx/v5"} {
		if c, ok := Lookup(sym); ok {
			t.Errorf("Lookup(%q) = %+v, want none", sym, c)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"(*p.T).*", "(*p.T).F", true}, {"(*p.T).*", "(p.T).F", false}, {"(*p*.T).F*", "(*p/v2.T).Fx", true}, {"(*p*.T).F*", "(*p/v2.U).Fx", false},
		{"(p.*).F", "(p.T).F", true}, {"(p.*).F", "(p.T).FF", false}, {"p.F", "p.F", true}, {"p.F", "p.FF", false}, {"p.*", "p.", true},
	} {
		if got := match(tt.pattern, tt.s); got != tt.want {
			t.Errorf("match(%q, %q) = %v", tt.pattern, tt.s, got)
		}
	}
}

func BenchmarkLookupMiss(b *testing.B) {
	for range b.N {
		Lookup("(*example.test/bank/internal/store.Store).Transfer")
	}
}

func TestRoot(t *testing.T) {
	for path, want := range map[string]bool{
		"database/sql": true, "database/sql/driver": true, "github.com/jackc/pgx/v5": true, "github.com/jackc/pgx/v5/pgxpool": true,
		"github.com/jackc/pgxutil": false, "gorm.io/gorm": true, "gorm.io/gorm/clause": true, "entgo.io/ent/dialect/sql": true,
		"fmt": false, "net/http": false, "": false, "database/sqlx": false,
	} {
		if Root(path) != want {
			t.Errorf("Root(%q) = %v", path, !want)
		}
	}
}

func TestHandleKind(t *testing.T) {
	for typ, want := range map[string]string{
		"*database/sql.DB": "pool", "*database/sql.Tx": "tx", "*database/sql.Conn": "conn", "github.com/jackc/pgx/v5.Tx": "tx",
		"*github.com/jackc/pgx/v5/pgxpool.Pool": "pool", "*gorm.io/gorm.DB": "gorm", "*github.com/jackc/pgx/v5.Batch": "batch",
		"github.com/jmoiron/sqlx.Ext": "", "example.test/db.DBTX": "", "database/sql.DB": "", "[]*database/sql.DB": "",
	} {
		if got := HandleKind(typ); got != want {
			t.Errorf("HandleKind(%s) = %q, want %q", typ, got, want)
		}
	}
	if got := OptionArg("github.com/jackc/pgx/v5.QueryExecMode"); got != "option" {
		t.Errorf("QueryExecMode is %q", got)
	}
	if got := OptionArg("github.com/jackc/pgx/v5.NamedArgs"); got != "named" {
		t.Errorf("NamedArgs is %q", got)
	}
}

func TestHash(t *testing.T) {
	for sym, want := range map[string]string{"hash/fnv.New64a": "fnv64a", "hash/crc32.ChecksumIEEE": "crc32", "crypto/sha256.Sum256": "sha256",
		"github.com/cespare/xxhash/v2.Sum64String": "xxhash64", "hash/fnv.Nothing": ""} {
		if got, ok := Hash(sym); got != want || ok != (want != "") {
			t.Errorf("Hash(%s) = %q, %v", sym, got, ok)
		}
	}
}

func TestShape(t *testing.T) {
	for _, tt := range []struct {
		name     string
		method   string
		params   []string
		results  []string
		variadic bool
		does     Action
		sql      int
	}{
		{"sqlc on pgx", "Exec", []string{"context.Context", "string", "[]any"}, []string{"github.com/jackc/pgx/v5/pgconn.CommandTag", "error"}, true, Exec, 2},
		{"sqlc on database/sql", "QueryRowContext", []string{"context.Context", "string", "[]interface{}"}, []string{"*database/sql.Row"}, true, Exec, 2},
		{"without context", "Query", []string{"string", "[]interface {}"}, []string{"*database/sql.Rows", "error"}, true, Exec, 1},
		{"prepare", "PrepareContext", []string{"context.Context", "string"}, []string{"*database/sql.Stmt", "error"}, false, Prepare, 2},
		{"begin", "Begin", []string{"context.Context"}, []string{"github.com/jackc/pgx/v5.Tx", "error"}, false, Begin, None},
		{"batch", "SendBatch", []string{"context.Context", "*github.com/jackc/pgx/v5.Batch"}, []string{"github.com/jackc/pgx/v5.BatchResults"}, false, SendBatch, None},
		{"commit", "Commit", []string{"context.Context"}, []string{"error"}, false, Commit, None},
		{"grpc client", "Charge", []string{"context.Context", "*pb.In", "[]google.golang.org/grpc.CallOption"}, []string{"*pb.Out", "error"}, true, External, None},
		{"exec of a command", "Exec", []string{"context.Context", "[]string"}, []string{"error"}, true, "", None},
		{"not variadic", "Exec", []string{"context.Context", "string", "[]any"}, []string{"x.T", "error"}, false, "", None},
		{"query of a search engine", "Query", []string{"context.Context", "string"}, []string{"x.T", "error"}, false, "", None},
		{"begin of something else", "Begin", []string{"context.Context"}, []string{"x.Span", "error"}, false, "", None},
		{"commit of something else", "Commit", []string{"context.Context", "string"}, []string{"error"}, false, "", None},
		{"nothing", "", nil, nil, false, "", None},
	} {
		c, ok := Shape(tt.method, tt.params, tt.results, tt.variadic)
		if ok != (tt.does != "") || c.Does != tt.does || ok && c.SQL != tt.sql {
			t.Errorf("%s: %+v, %v", tt.name, c, ok)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"F exec":                      "line 1: \"F\" stands before any package",
		"package p\nF":                "line 2: \"F\" has no action",
		"package p\nF explode":        "line 2: unknown action \"explode\"",
		"package p\nF exec sql=x":     "line 2: attribute \"sql=x\" wants an index",
		"package p\nF exec colour=1":  "line 2: unknown attribute \"colour\"",
		"package p\nF exec loud":      "line 2: unknown flag \"loud\"",
		"package p\nF exec\nF|G exec": "line 3: p.F is listed twice",
		"package p\nkind T":           "line 2: kind wants two words",
		"pattern x":                   "line 1: a pattern wants a symbol and an action",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}
