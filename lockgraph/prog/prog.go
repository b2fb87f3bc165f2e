package prog

import "github.com/pglockdep/pglockdep/lockgraph"

// A Package is the lock programs of one Go package and what values its
// functions leave in fields. Every slice is sorted; it holds no map and no
// absolute file name, so that it can be a go/analysis fact.
type Package struct {
	Path       string
	Funcs      []*Func
	Fields     []FieldStore
	Impls      []Impl
	Names      []Name
	Structs    []Struct // that libraries map to tables
	Routes     []Route  // what enters functions, for the whole program
	Unknowns   []lockgraph.Unknown
	Incomplete string // why the package could not be read whole, or ""

	// What a fact left out: see Slim and Only.
	Missing    []uint32 // of functions that do something to locks, and of fields: see missing
	FieldsLeft bool     // what its own fields hold is not here, where it is not told
}

// A Func is the lock program of one function.
type Func struct {
	Key      string // full symbol: pkg.F, pkg.(*T).M, pkg.F$1
	Pos      Pos
	Params   int      // including the receiver, which is parameter 0
	Names    []string // of the parameters, where the source is at hand
	Results  int
	Parent   string // closures: the function that holds it
	Exported bool   // callable from another package
	Test     bool   // declared in a _test.go file
	Main     bool   // func main, init, or an entry the host calls
	Doc      Directives
	Origin   string // "" Go code, else OriginMigration, OriginFunction or OriginGenerated
	Body     []Op
	Sets     []FreeSet  // closures: what they leave in variables that they capture
	Left     []ParamSet // how it leaves structs that it is given, as far as texts are made of them
	Consts   []ConstUse
	Cut      string
}

// A FreeSet is what a closure leaves in a variable that it captures.
type FreeSet struct {
	Free int // which of its captured variables
	Val  *Val
}

// A ParamSet is how a function leaves the struct that a parameter points to.
type ParamSet struct {
	Param int
	Val   *Val // of the function's own values, as it returns
}

// A ConstUse is a call that is given a declared integer constant.
type ConstUse struct {
	Name  string // pkg.name
	Value string // decimal
	Call  Pos
	Decl  Pos
}

// Directives are what the team wrote above a function or a query.
type Directives struct {
	Name       string
	Serializes string
	Group      string
}

// A Pos is a place in a file, named relative to its module root, with "/".
type Pos struct {
	File string
	Line int
	Col  int
}

// An OpKind says what an op does.
type OpKind uint8

// The kinds of ops.
const (
	OpNone     OpKind = iota
	OpOpen            // opens a connection, transaction or savepoint on Conn; How says which; its value is conn ID
	OpSQL             // runs SQL: Val is the text, Args the parameters, Body what it does (when known at summary time)
	OpAcquire         // takes a lock: Acq; only inside the Body of an OpSQL, or for Go mutexes
	OpRelease         // gives a session lock or mutex back: Acq; Acq.Family "" means all session locks
	OpEnd             // ends Conn: How is commit, rollback, close, release, hijack
	OpSet             // sets a parameter of Conn: Str name, Val value, How local or session
	OpCall            // calls Val with Args; its results are result ID.i
	OpGo              // starts Val with Args in another goroutine
	OpDefer           // runs Body when the function exits, last in first out
	OpBranch          // one of Arms
	OpLoop            // Body any number of times; Val is what it walks, Order in which order
	OpExit            // leaves the function with results Args; How is "", panic
	OpBreak           // leaves the loop or switch labelled Str ("" innermost)
	OpContinue        // next turn of the loop labelled Str
	OpExternal        // a call that leaves the process: Str says what
	OpUnknown         // something that could not be read: Str is the reason, How the kind
	OpWait            // a wait that is no lock of the families: Str for what, Rule in Acq
	OpCheck           // a fact for checks only: How is its name, Val and Args its values
)

// An Op is one step of a lock program. Which fields are in use depends on
// Kind.
type Op struct {
	Kind  OpKind
	ID    int // unique in the function; names the value of an open and the results of a call or statement
	Pos   Pos
	How   string
	Str   string
	Order string // loops: "" none, "by COLUMN", "sorted", "literal"
	Conn  *Val
	Val   *Val
	Args  []*Val // loops: the condition for another turn
	Acq   *Acq
	Arms  []Arm
	Body  []Op
	Query string // sqlc query name of an OpSQL
	Use   Use
	Cut   string
}

// A Use is what checks need to know about how the code uses an op.
type Use struct {
	ResultIgnored bool // the value that tells of success is dropped
	ErrIgnored    bool
	Deferred      bool
	Ctx           string   // "" unknown, "background", "cancelable", "caller"
	CtxVal        *Val     // the context, for a walk to bind
	Answer        string   // what becomes of the row: "" unknown, "dropped", "unused", "printed", "branch" (only conditions look at it), "kept"
	Scans         []string // Go types the row is scanned into
	ArgTypes      []string // Go types of Args where the call shows them, "" where not
	Batch         bool     // queued: it runs with the other statements of its batch in one transaction
	Other         bool     // for another database, as its package says
	Dropped       []int    // call: the results of type bool that nothing looks at
}

// An Arm is one alternative of a branch. A nil Guard is not decidable.
type Arm struct {
	Guard *Val
	When  string // for people: the condition as written
	Body  []Op
}

// An Acq is what an acquire or release op takes, before its values are
// bound.
type Acq struct {
	Family      string
	Relation    string // row, table; schema-qualified except in public
	Relkind     string
	PartitionOf string
	Space       string // advisory: bigint, int4x2
	Key         []*Val // advisory: one expression for bigint, two for int4x2; over sqlparam, sqlhole
	Mode        string
	Wait        string
	Scope       string // transaction or session
	Implicit    bool
	Many        bool
	Order       string   // "", "by COLUMN, …", "sorted", "plan"
	Rule        string   // "R6.1"
	When        string   // a condition the text does not decide
	Via         []string // "foreign key NAME", "trigger NAME", "default of T.C", "function F"
	SQLFunc     []string // SQL functions and triggers entered, outermost first
	SQLFile     string   // "db/schema.sql:12" of the innermost one
	Row         []Col    // row: the equality predicates known for the row, a whole unique key when Unique
	Among       []Col    // several rows: columns that are one of a list, "= ANY (list)", and the list
	Unique      bool     // Row names at most one row
	Fresh       bool     // a row this statement inserts
	SoftDeleted string   // row: the column by which the statement takes only soft-deleted ones, as it is written
	FKFrom      string   // FOR KEY SHARE by a foreign key: the referencing relation
	Held        bool     // row: the statement holds the rows already, as strongly
	Refuses     bool     // the statement fails once it has the row: nobody holds it
	NoOf        bool     // a locking clause without OF over a join
	NullKey     string   // advisory: the column that can make the key NULL
	Read        bool     // try: an expression of PL/pgSQL code looks at the answer
	InPredicate bool     // an advisory call whose number of evaluations the planner decides
	ByKey       bool     // SKIP LOCKED in a lookup by a whole unique key
	Source      string   // for several rows: "any", "values", "join", "subquery", "equality", "range", "all"
}

// ChangedBefore is the condition, in When, under which a foreign key is checked
// that the change itself leaves as it is.
const ChangedBefore = "the transaction changed the row before"

// A Col is a column and the value it is compared with.
type Col struct {
	Name string
	Val  *Val
}

// A FieldStore is a value that some function leaves in a field of a type.
type FieldStore struct {
	Field string // pkg.Type.field, pkg.var for a package variable, or InElement
	Func  string // the function whose values Val is made of
	Val   *Val
	Given bool // in a struct that the function is given
	Made  bool // in a struct that the function makes and does nothing with but return it
	Zero  *Val // what the field holds at first; nil where no text is made of it
	Line  int  // where it first does, 0 when not known
}

// InElement is the Field of what a function leaves in an element of a list or
// a map.
const InElement = "an element"

// An Impl says that the method of a concrete type is the function Func.
type Impl struct {
	Type   string // pkg.T or *pkg.T
	Method string
	Func   string
	Sig    string // parameter and result types
}

// A Name is a name that the team gave by a directive on a constant or a
// query, by the value's own name.
type Name struct {
	Of         string
	Name       string
	Serializes string
	At         string // file:line of the directive, "" for the configuration
}

// A Struct is a struct type that a library can map to a table.
type Struct struct {
	Type   string // pkg.T
	Fields []StructField
}

// A StructField is one field of a Struct.
type StructField struct {
	Name     string
	Type     string // Go type
	Tag      string // as written between the backquotes
	Embedded bool
	Relation bool          // its values are rows of their own, no column
	Fields   []StructField // of a struct that is part of the row
}

// A ChainText is the text of a builder chain with its parameters.
type ChainText struct {
	Text   string
	Params []*Val // nil: those of the call
	Holes  []*Val // the values of the holes in Text
	Open   string // what is not known of the chain, and could lock; all of it, where Text is ""
}

// A Resolver tells what SQL text does. It is injected, so that this package
// needs no parser.
type Resolver interface {
	// Effect returns what the statements of text do, in order, over
	// sqlparam n ($n) and sqlhole n (the identifier HoleName(n) in the text).
	// The ops are shared: callers must not change them.
	Effect(text string) []Op
	// Order returns the order of the rows of a statement: "by COLUMN, …" as
	// its ORDER BY has it, "" when it has none.
	Order(text string) string
	// Chain returns the alternatives of the text that a builder chain (VMod)
	// makes, with the parameters of each, or why it is not known.
	Chain(chain *Val) ([]ChainText, string)
	// Class returns the lock class of a, whose key values are bound.
	Class(a *Acq, key []*Val) *lockgraph.Class
}
