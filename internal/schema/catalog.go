package schema

// A Catalog is the schema in force after every statement that was applied:
// what a statement's names mean and what hangs on its tables.
//
// Names of relations are schema-qualified except in public ("core.grants",
// "accounts"), raw, without quotes.
type Catalog struct {
	SearchPath []string
	Relations  map[string]*Relation
	Functions  map[string][]*Function // by qualified name; overloads in order of creation
	Types      map[string]bool        // names of enums, domains and other types made, without schema
	Domains    map[string][]*Check    // by name without schema: their checks, those of the domains they are made of first
	Operators  map[string][]Operator  // by name without schema
	Problems   []Problem              // statements that could not be read; the rest is applied
	Queries    []QueryComment         // of the query files of sqlc

	path    []string        // what SearchPath falls back to when a file ends
	ordinal int             // counts relations
	given   map[string]bool // names that indexes and constraints have or had
	index   *index          // of what is in it now; nil while statements are applied

	relationNames, functionNames bareNames
}

// A Relation is a table, view or sequence.
type Relation struct {
	Name        string
	Kind        string // r, p, v, m, S
	Columns     []*Column
	Indexes     []*Index      // unique and other ones, in order of creation
	ForeignKeys []*ForeignKey // on this table, in order of creation
	Triggers    []*Trigger
	Checks      []*Check
	PartitionBy string // "range (created_at)"
	PartitionOf string
	Bound       string // partition bound: FOR VALUES …, DEFAULT
	Inherits    []string
	View        string   // views: the SELECT text
	Rules       []string // rewrite rules: the whole CREATE RULE
	RuleNames   []string // one for each of Rules
	Policies    []string // row security: "FOR command USING (…) WITH CHECK (…)"
	PolicyNames []string // one for each of Policies
	RowSecurity bool
	Temp        bool
	OwnedBy     string // sequences: the "relation.column" they go away with
	File        string
	Line        int

	ordinal int // order of creation
	bound   bound
}

// An Operator is one that the schema makes.
type Operator struct {
	Arity            int
	Schema, Function string // of its function, as written
}

// A Check is a CHECK constraint.
type Check struct {
	Name string
	Expr string
}

// A Column is a column of a relation.
type Column struct {
	Name      string
	Type      string // as PostgreSQL prints it, lower case: bigint, integer, text, uuid …
	NotNull   bool
	Default   string // expression text, "" none
	Sequence  string // sequence drawn from by serial, identity or nextval
	Generated string // expression text of a stored generated column
}

// An Index is an index or the index of a constraint.
type Index struct {
	Name       string
	Columns    []string // key columns, without INCLUDE; "" for an expression
	Exprs      []string // text of the expressions, one for each "" of Columns
	Unique     bool
	Primary    bool
	Partial    bool
	Deferrable bool
	Exclusion  bool
	Constraint bool
	Where      string   // predicate of a partial index
	Include    []string // columns that are no keys

	unnamed bool // its name was made up
}

// A ForeignKey is a foreign key constraint.
type ForeignKey struct {
	Name              string
	Table             string // referencing
	Columns           []string
	Parent            string // referenced
	ParentColumns     []string
	OnDelete          string // no action, restrict, cascade, set null, set default
	OnUpdate          string
	Deferrable        bool
	InitiallyDeferred bool
	NotEnforced       bool
	CheckDisabled     bool // DISABLE TRIGGER ALL on Table
	ActionDisabled    bool // DISABLE TRIGGER ALL on Parent
	NotValid          bool
	Match             string // simple, full, partial
}

// A Trigger is a trigger on a relation.
type Trigger struct {
	Name              string
	Timing            string   // before, after, instead of
	Events            []string // insert, update, delete, truncate
	Columns           []string // UPDATE OF
	ForEachRow        bool
	When              string
	Function          string // qualified
	Args              []string
	OldTable          string // REFERENCING OLD TABLE AS
	NewTable          string // REFERENCING NEW TABLE AS
	Constraint        bool
	Deferrable        bool
	InitiallyDeferred bool
	Disabled          bool
	File              string
	Line              int
}

// A Function is a function or procedure.
type Function struct {
	Name       string // qualified
	Args       []Arg
	Returns    string
	SetOf      bool
	Language   string // sql, plpgsql, …
	Volatility string // volatile, stable, immutable
	Strict     bool
	Body       string // text of the body
	BodyLine   int    // line of the body's first character in File
	Atomic     bool   // BEGIN ATOMIC or RETURN expr: Body is the statements' text
	Procedure  bool
	Settings   map[string]string // SET clauses
	File       string
	Line       int
	Directive  string // text of the "-- pglockdep:" comment lines above it
}

// An Arg is a parameter of a function.
type Arg struct {
	Name    string
	Type    string
	Mode    string // in, out, inout, variadic, table
	Default string
}

// A Problem is a statement or file that could not be read.
type Problem struct {
	File    string
	Line    int
	Column  int
	Message string
	Unread  bool   // the file or folder cannot be read
	awaits  string // the relation that a later statement may make, as in a dump that is sorted by name
}
