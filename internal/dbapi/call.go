package dbapi

import "strconv"

// None is the value of an index that a call does not have.
const None = -1

// An Action is what a call does.
type Action string

// The actions of calls.
const (
	Exec         Action = "exec"         // runs SQL text
	Begin        Action = "begin"        // opens a transaction; its handle is result Result
	Acquire      Action = "acquire"      // pins a connection; its handle is result Result
	Commit       Action = "commit"       // ends a transaction
	Rollback     Action = "rollback"     // ends a transaction
	Close        Action = "close"        // ends the handle; see Call.Ends
	Release      Action = "release"      // gives a pinned connection back to its pool
	Hijack       Action = "hijack"       // takes a pinned connection out of its pool; the result carries on the session
	Prepare      Action = "prepare"      // makes a statement of text, run later; the result is the statement when Result is set
	StmtOn       Action = "stmton"       // result is statement argument Stmt, run on the handle
	ExecPrepared Action = "execprepared" // runs a prepared statement: argument Stmt (a name or a statement handle)
	Queue        Action = "queue"        // adds text to a batch, which is the handle
	SendBatch    Action = "sendbatch"    // runs batch argument Batch on the handle
	CopyFrom     Action = "copyfrom"     // COPY into table argument Table (an identifier), or SQL text
	Callback     Action = "callback"     // opens, runs the callback inside, ends: commit when it returns nil, rollback otherwise
	Savepoint    Action = "savepoint"    // SAVEPOINT named by argument Name
	RollbackTo   Action = "rollbackto"   // ROLLBACK TO SAVEPOINT named by argument Name
	Scan         Action = "scan"         // writes the columns of a row to arguments Scans…
	Next         Action = "next"         // moves to the next row; false ends the loop
	RowsClose    Action = "rowsclose"    // ends the rows and gives their connection back
	Collect      Action = "collect"      // reads all rows argument Handle with callback Callback
	Same         Action = "same"         // result is a view on the handle: the same pool or session
	CtxWith      Action = "ctxwith"      // context with a value: arguments Ctx, Key, Value
	CtxGet       Action = "ctxget"       // value of a context: arguments Ctx, Key
	CtxDerive    Action = "ctxderive"    // context that ends with or before argument Ctx; Cancel tells how
	Pure         Action = "pure"         // text or value of its arguments alone
	Builder      Action = "builder"      // one more step of a chain
	Finisher     Action = "finisher"     // last step of a chain: it runs SQL
	ToSQL        Action = "tosql"        // last step of a chain: result Result is its SQL text, result ArgsResult its parameters
	Go           Action = "go"           // runs argument Callback in another goroutine
	Run          Action = "run"          // runs argument Callback in this goroutine, opening nothing
	External     Action = "external"     // leaves the process or waits: What names it
	Unknown      Action = "unknown"      // runs SQL that its arguments do not show: What says which
	Idle         Action = "idle"         // locks nothing and tells nothing: Ping, Stats, Err
	Open         Action = "open"         // makes a pool or a session of its own: Opens tells which
	LockFamily   Action = "lockfamily"   // runtime/locks: makes a family of keys; What tells how, Name and Value its text and number
	LockKey      Action = "lockkey"      // runtime/locks: the key of argument Value in family Handle; with Rows, of several
	LockTake     Action = "locktake"     // runtime/locks: takes argument Key; What tells in which way
)

// A Call says what one function of a library does. Indexes count receiver
// and parameters together: 0 is the receiver of a method, or the first
// parameter of a plain function. An index the call lacks is None.
type Call struct {
	Func string // full symbol: "(*database/sql.DB).QueryContext"
	Lib  string // name of the library's table: "sql", "pgx", "gorm"
	Does Action

	Handle int // pool, connection, transaction, statement, rows or chain the call is about
	Ctx    int // context.Context
	SQL    int // SQL text; of kind SQLType "" a string
	Args   int // first SQL parameter: variadic …any, or one slice with ArgsSlice, one struct or map with Named
	Stmt   int // statement handle, statement name
	Batch  int
	Table  int // identifier of a table
	Name   int // of a savepoint or prepared statement
	DSN    int // connection string
	Driver int // driver name beside a DSN
	Scans  int // first destination of the values of a row, or the one destination with ScanOne
	Opts   int // transaction options
	Binds  int // Builder, Finisher: the pool or session that the chain runs on

	Callback       int // function argument
	CallbackHandle int // parameter of the callback that receives the opened handle; None: it travels in CallbackCtx
	CallbackCtx    int // parameter of the callback that receives a context

	Key, Value int // CtxWith, CtxGet, LockKey, LockTake
	Mode, Wait int // LockTake: mode of row locks, bound of the wait

	Result     int // result that is the handle, statement, rows or text
	ErrResult  int // error result
	ArgsResult int // ToSQL: the parameters

	Opens  string // tx, conn, savepoint, pool, session (of a pool, which begins transactions in place), same (the callback gets the same session); "tx" on a handle that is one already opens a savepoint when Nests
	Ends   string // commit, rollback; release (the session survives in its pool), close (the session ends), hijack
	What   string // External: "http", "grpc", "sleep" …; Unknown: why
	Style  string // placeholders of the text when not $n: "?" positional marks, ":name" , "@name", "go-pg" (both ? and ?name)
	On     string // Exec told of by the configuration: "receiver", or the kind of what it runs on where no argument is it
	Cancel string // CtxDerive: "cancel", "timeout", "detach" (ends neither with its parent nor by itself)

	Row       bool // the result is one row (or the call reads one): Scan gives values
	Rows      bool // the result is rows
	Must      bool // panics instead of returning an error
	ArgsSlice bool // Args is one slice, not variadic
	Named     bool // Args is one struct, map or slice of them: parameters by name
	ScanOne   bool // Scans is one destination (a struct, slice or scalar), not variadic
	OwnTx     bool // Finisher: runs in a transaction of its own when the handle is none
	Reuses    bool // Begin, Callback on a transaction opens nothing: it works in, and ends, that one
	Model     bool // the chain's table comes from the type of a model argument
	Nests     bool // Begin, Callback on a transaction makes a savepoint
	CtxEnds   bool // Begin: the end of the context rolls the transaction back
	Holds     bool // keeps a connection until the rows are closed
	Waits     bool // External: it waits for another goroutine or for time
	Weak      bool // found by Shape on thin evidence: true only of a value known to be a handle
	Multi     bool // the text may hold several statements (simple protocol)
	InPlace   bool // Builder: it changes the chain it is called on; Finisher: the next chain on the handle begins anew; Begin: the handle itself becomes the transaction
	InChain   bool // Builder: it changes the chain it is called on, when that has a step already
	Apart     bool // Builder: what it returns is no chain that later steps change
}

// Runs returns a function that runs the SQL text of parameter sql, with the
// parameters of the statement from parameter args on. On says what it runs
// on: the number of a parameter, "receiver", or "pool", "conn", "tx".
// Parameters are counted from 0 without the receiver; None is no parameter.
func Runs(symbol string, sql, args int, on string) Call {
	c := newCall()
	c.Func, c.Lib, c.Does, c.SQL, c.Args, c.On, c.Multi = symbol, "configuration", Exec, sql, args, on, args == None
	if n, err := strconv.Atoi(on); err == nil {
		c.Handle, c.On = n, ""
	}
	return c
}

// Leaves returns a function whose call leaves the process.
func Leaves(symbol, what string) Call {
	c := newCall()
	c.Func, c.Lib, c.Does, c.What = symbol, "configuration", External, what
	return c
}

// newCall returns a Call whose indexes are all None.
func newCall() Call {
	return Call{
		Handle: None, Ctx: None, SQL: None, Args: None, Stmt: None, Batch: None, Table: None, Name: None,
		DSN: None, Driver: None, Scans: None, Opts: None, Binds: None, Callback: None, CallbackHandle: None,
		CallbackCtx: None, Key: None, Value: None, Mode: None, Wait: None, Result: None, ErrResult: None, ArgsResult: None,
	}
}
