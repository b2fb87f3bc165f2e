package lockgraph

// Families of lock classes.
const (
	Advisory = "advisory"
	Row      = "row"
	Table    = "table"
	Mutex    = "mutex"
)

// Row modes, weakest first (manual of version 16, section 13.3.2).
const (
	ForKeyShare    = "FOR KEY SHARE"
	ForShare       = "FOR SHARE"
	ForNoKeyUpdate = "FOR NO KEY UPDATE"
	ForUpdate      = "FOR UPDATE"
)

// Modes of advisory locks and of Go mutexes.
const (
	Shared    = "shared"
	Exclusive = "exclusive"
)

// Table modes, in the order of the manual of version 16, section 13.3.1.
const (
	AccessShare          = "ACCESS SHARE"
	RowShare             = "ROW SHARE"
	RowExclusive         = "ROW EXCLUSIVE"
	ShareUpdateExclusive = "SHARE UPDATE EXCLUSIVE"
	Share                = "SHARE"
	ShareRowExclusive    = "SHARE ROW EXCLUSIVE"
	ExclusiveTable       = "EXCLUSIVE"
	AccessExclusive      = "ACCESS EXCLUSIVE"
)

// Scopes: how long a lock is held.
const (
	Transaction = "transaction"
	Session     = "session"
	Statement   = "statement"
)

// Ways of waiting.
const (
	Wait       = "wait"
	Try        = "try"
	NoWait     = "nowait"
	SkipLocked = "skip locked"
)

// Handles: the connection a statement runs on.
const (
	HandleTx      = "tx"
	HandleConn    = "conn"
	HandlePool    = "pool"
	HandleParam   = "param"
	HandleUnknown = "unknown"
)

// Severities.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityNote    = "note"
)

// Cuts: why something is a guess.
const (
	CutText      = "text"
	CutCallee    = "callee"
	CutHandle    = "handle"
	CutRecursion = "recursion"
	CutSize      = "size"
	CutContexts  = "contexts"
	CutDepth     = "depth"
	CutGoto      = "goto"
)
