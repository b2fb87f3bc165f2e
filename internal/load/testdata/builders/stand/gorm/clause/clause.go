// Package clause has the signatures of the library, to be analysed and not run.
package clause

type Expression interface{ Build() }

type Table struct{ Name string }

const CurrentTable = "~~~ct~~~"

type Locking struct {
	Strength string
	Table    Table
	Options  string
}

func (Locking) Build() {}
