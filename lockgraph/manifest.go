package lockgraph

// Version is the version of the manifest's shape.
const Version = 1

// A Manifest is everything the analysis knows about one module: the lock
// classes, where they are taken, in which order, by which paths, and what is
// wrong with that. It is the only input of the page and the pictures.
type Manifest struct {
	Version      int           `json:"version"`
	Module       string        `json:"module"`
	Tool         Tool          `json:"tool"`
	Classes      []Class       `json:"classes"`
	Acquisitions []Acquisition `json:"acquisitions"`
	Edges        []Edge        `json:"edges"`
	Cycles       []Cycle       `json:"cycles"`
	Paths        []Path        `json:"paths"`
	Rules        []Rule        `json:"rules"`
	Differences  []Difference  `json:"differences"`
	Findings     []Finding     `json:"findings"`
	Unknowns     []Unknown     `json:"unknowns"`
}

// A Tool names the program and the SQL parser that made a manifest.
type Tool struct {
	Version string `json:"version"`
	Parser  string `json:"parser"`
	Grammar int    `json:"grammar"`
}

// A Class is all locks that obey one ordering rule: the node of the graph.
type Class struct {
	ID          string `json:"id"`
	Family      string `json:"family"`
	Name        string `json:"name"`
	Relation    string `json:"relation,omitempty"`
	Relkind     string `json:"relkind,omitempty"`
	PartitionOf string `json:"partitionOf,omitempty"`
	Serializes  string `json:"serializes"`
	Key         *Key   `json:"key,omitempty"`
}

// A Key tells how an advisory key is made.
type Key struct {
	Space      string   `json:"space"`
	Derivation string   `json:"derivation"`
	Hash       string   `json:"hash,omitempty"`
	Prefix     string   `json:"prefix,omitempty"`
	Prefixed   bool     `json:"prefixed"`
	Expr       string   `json:"expr"`
	Constant   string   `json:"constant,omitempty"`
	Parts      []string `json:"parts,omitempty"`
	Bits       int      `json:"bits,omitempty"`
}

// An Acquisition is one place where a class is taken in a mode.
type Acquisition struct {
	ID       string   `json:"id"`
	Class    string   `json:"class"`
	Mode     string   `json:"mode"`
	Scope    string   `json:"scope"`
	Wait     string   `json:"wait"`
	Timeout  string   `json:"timeout"`
	Implicit bool     `json:"implicit"`
	Many     bool     `json:"many"`
	Order    string   `json:"order"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Func     string   `json:"func"`
	Query    string   `json:"query"`
	SQLFunc  []string `json:"sqlfunc"`
	SQLFile  string   `json:"sqlfile"`
	Handle   string   `json:"handle"`
	SQL      string   `json:"sql"`
	Rule     string   `json:"rule"`
	Cut      string   `json:"cut"`
}

// An Edge says that To is wanted while From is held.
type Edge struct {
	From    string     `json:"from"`
	Held    string     `json:"held"`
	To      string     `json:"to"`
	Wanted  string     `json:"wanted"`
	Gates   [][]string `json:"gates"`
	Cut     string     `json:"cut"`
	Witness []Frame    `json:"witness"`
}

// A Frame is one step of a witness, in execution order.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
	Does string `json:"does"`
}

// A Cycle is a closed walk of edges and what was made of it.
type Cycle struct {
	Classes []string `json:"classes"`
	Verdict string   `json:"verdict"`
	GatedBy []string `json:"gatedBy"`
	Edges   []int    `json:"edges"`
}

// A Path is the outermost function in which a transaction lives, with what
// its transactions acquire in order.
type Path struct {
	Entry     string   `json:"entry"`
	ReachedBy []string `json:"reachedBy"`
	Group     string   `json:"group"`
	Steps     []Step   `json:"steps"`
}

// A Step is one node of a path's tree; Do selects the fields in use:
// lock, tx, branch, loop, see or external.
type Step struct {
	Do string `json:"do"`

	// lock
	Class string   `json:"class,omitempty"`
	Mode  string   `json:"mode,omitempty"`
	Wait  string   `json:"wait,omitempty"`
	Many  bool     `json:"many,omitempty"`
	Again string   `json:"again,omitempty"`
	By    []string `json:"by,omitempty"`
	// Implicit says that the statement takes the lock by itself.
	Implicit bool `json:"implicit,omitempty"`
	// Fresh says that the row is one that the statement inserts.
	Fresh bool `json:"fresh,omitempty"`
	// Each is the order in which the turns of a loop around the step lock
	// other instances, one after another: "by COLUMN, …", "sorted", "literal",
	// "given" as the slice has them, "none"; "" when they are not known to. A
	// loop without an order has one of the latter two.
	Each string `json:"each,omitempty"`

	// lock and loop
	Order string `json:"order,omitempty"`

	// tx
	Kind    string `json:"kind,omitempty"`
	Handle  string `json:"handle,omitempty"`
	Timeout string `json:"timeout,omitempty"`
	End     string `json:"end,omitempty"`

	// branch
	Arms []Arm `json:"arms,omitempty"`

	// loop
	Over string `json:"over,omitempty"`

	// see
	Entry string `json:"entry,omitempty"`

	// external
	What string `json:"what,omitempty"`

	// tx and loop
	Steps []Step `json:"steps,omitempty"`
}

// An Arm is one alternative of a branch; an empty one locks nothing.
type Arm struct {
	When  string `json:"when"`
	Steps []Step `json:"steps"`
}

// A Rule is an order or a scope that paths keep, derived or declared.
type Rule struct {
	ID         string   `json:"id"`
	Form       string   `json:"form"`
	A          string   `json:"a"`
	B          string   `json:"b,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Support    int      `json:"support"`
	Of         int      `json:"of"`
	Exceptions []string `json:"exceptions"`
	Declared   bool     `json:"declared"`
	Text       string   `json:"text"`
}

// A Difference is a path that does not do what its siblings do. Form is that
// of the rule which it breaks, or siblings or keys, of which there is no rule.
type Difference struct {
	ID      string   `json:"id"`
	Rule    string   `json:"rule"`
	Funcs   []string `json:"funcs"` // the paths that differ
	Classes []string `json:"classes"`
	Text    string   `json:"text"`
	Form    string   `json:"form"`

	// Peers are, of form siblings, the paths of Funcs on the larger side.
	Peers []string `json:"peers,omitempty"`
	// Via is the SQL function in which the siblings meet, "" for the table
	// that they write.
	Via string `json:"via,omitempty"`
	// Instead is, of form order, the order in which the paths take instances,
	// as Step.Each.
	Instead string `json:"instead,omitempty"`
}

// A Finding is one fault, or one thing worth knowing, at one place.
type Finding struct {
	Check       string  `json:"check"`
	Kind        string  `json:"kind"`
	Severity    string  `json:"severity"`
	File        string  `json:"file"`
	Line        int     `json:"line"`
	Func        string  `json:"func"`
	Message     string  `json:"message"`
	Hint        string  `json:"hint"`
	Cut         string  `json:"cut"`
	Fingerprint string  `json:"fingerprint"`
	Related     []Frame `json:"related"`

	// Sides counts the frames of each side of a cycle, in the order of
	// Related; empty where there is one side.
	Sides []int `json:"-"`
}

// An Unknown is something the analysis could not see, with the reason.
type Unknown struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Func   string `json:"func"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}
