package pgsql

// A Block is a block of PL/pgSQL: DECLARE … BEGIN … EXCEPTION … END. All
// offsets are bytes in the body.
type Block struct {
	Label    string
	Decls    []Decl
	Body     []PL
	Handlers []Handler
	Offset   int
	End      int
}

// A Decl is a variable of a block.
type Decl struct {
	Name          string
	Type          string // as written, lower case; "" for an alias or a cursor
	Default       string // expression
	DefaultOffset int
	Constant      bool
	NotNull       bool
	Alias         string // ALIAS FOR this
	Cursor        bool
	CursorArgs    []string // names
	Query         string   // of a cursor
	QueryOffset   int
	Offset        int
}

// A Handler is a WHEN arm of EXCEPTION.
type Handler struct {
	Conditions []string // unique_violation, others, sqlstate 'NNNNN'; lower case
	Body       []PL
	Offset     int
}

// A PLKind says what a PL/pgSQL statement is.
type PLKind uint8

// The kinds of PL/pgSQL statements, with the fields of PL in use.
const (
	PLUnknown       PLKind = iota // Text: could not be read; Reason
	PLSQL                         // Text: the SQL without its INTO; Into, Strict
	PLPerform                     // Text: with SELECT in place of PERFORM
	PLAssign                      // Target, Expr
	PLIf                          // Arms (Cond as written), Else
	PLCase                        // Expr (simple CASE) or "", Arms (Cond: the list of WHEN), Else; HasElse
	PLLoop                        // Label, Body
	PLWhile                       // Label, Expr, Body
	PLForInt                      // Label, Vars, Expr (lower), Upper, By, Reverse, Body
	PLForQuery                    // Label, Vars, Text (query), Body
	PLForCursor                   // Label, Vars, Target (cursor), Args, Body
	PLForExecute                  // Label, Vars, Expr (dynamic text), Args (USING), Body
	PLForEach                     // Label, Vars, Expr (array), Body
	PLExit                        // Target (label), Expr (WHEN)
	PLContinue                    // Target (label), Expr (WHEN)
	PLReturn                      // Expr, "" for none
	PLReturnNext                  // Expr
	PLReturnQuery                 // Text
	PLReturnExecute               // Expr, Args
	PLRaise                       // Level (debug log info notice warning exception); Text
	PLExecute                     // Expr (dynamic text), Args (USING), Into, Strict
	PLCall                        // Text
	PLCommit                      // Text
	PLRollback                    // Text
	PLOpen                        // Target (cursor), Text (query) or Expr (dynamic text) with Args, or Args of a bound cursor
	PLFetch                       // Target (cursor), Text (direction), Into
	PLMove                        // Target (cursor), Text (direction)
	PLClose                       // Target (cursor)
	PLDiagnostics                 // Text
	PLAssert                      // Expr
	PLNull                        //
	PLBlock                       // Block
)

// A PL is one statement of PL/pgSQL.
type PL struct {
	Kind   PLKind
	Offset int // of the statement in the body, label included
	End    int // past its semicolon

	Text       string // SQL ready for Parse: INTO blanked with spaces, PERFORM as SELECT
	TextOffset int    // of Text in the body
	Expr       string
	ExprOffset int
	Upper, By  string
	Reverse    bool
	Target     string
	Label      string
	Level      string
	Reason     string
	Vars       []string
	Into       []string
	Strict     bool
	Args       []Frag
	Arms       []PLArm
	Else       []PL
	HasElse    bool
	Body       []PL
	Block      *Block
}

// A PLArm is an arm of IF or CASE.
type PLArm struct {
	Cond   string
	Offset int // of Cond
	Body   []PL
}

// A Frag is a piece of the body.
type Frag struct {
	Text   string
	Offset int
}

var plNames = [...]string{"unknown", "sql", "perform", "assign", "if", "case", "loop", "while", "for-int",
	"for-query", "for-cursor", "for-execute", "foreach", "exit", "continue", "return", "return-next",
	"return-query", "return-execute", "raise", "execute", "call", "commit", "rollback", "open", "fetch",
	"move", "close", "diagnostics", "assert", "null", "block"}

// String names the kind.
func (k PLKind) String() string {
	if int(k) < len(plNames) {
		return plNames[k]
	}
	return "unknown"
}
