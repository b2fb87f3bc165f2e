package dbapi

// genFinishers are the methods of gorm.io/gen's queries that send a statement,
// with the index of their error.
var genFinishers = map[string]int{"First": 1, "Take": 1, "Last": 1, "Find": 1, "FindInBatch": 1, "FindInBatches": 0, "FirstOrInit": 1,
	"FirstOrCreate": 1, "FindByPage": 2, "ScanByPage": 1, "Scan": 0, "Pluck": 0, "Count": 1, "Create": 0, "CreateInBatches": 0, "Save": 0,
	"Delete": 1, "Update": 1, "UpdateSimple": 1, "Updates": 1, "UpdateColumn": 1, "UpdateColumnSimple": 1, "UpdateColumns": 1}

// genSteps are those that only add to the chain.
var genSteps = map[string]bool{"Debug": true, "WithContext": true, "ReadDB": true, "WriteDB": true, "Session": true, "Clauses": true,
	"Returning": true, "Not": true, "Or": true, "Select": true, "Where": true, "Order": true, "Distinct": true, "Omit": true, "Join": true,
	"LeftJoin": true, "RightJoin": true, "Group": true, "Having": true, "Limit": true, "Offset": true, "Scopes": true, "Unscoped": true,
	"Attrs": true, "Assign": true, "Joins": true, "Preload": true}

// GenMethod says what a method does of the queries that gorm.io/gen
// generates for a model.
func GenMethod(name string) (c Call, ok bool) {
	c = newCall()
	c.Func, c.Lib, c.Handle, c.Result = name, "gen", 0, 0
	if genSteps[name] {
		c.Does = Builder
		return c, true
	}
	c.ErrResult, ok = genFinishers[name]
	if c.Does = Finisher; c.ErrResult == 0 {
		c.Result = None
	}
	switch name {
	case "First", "Take", "Last", "Count":
		c.Row = true
	case "Find", "FindByPage", "FindInBatch", "FindInBatches":
		c.Rows = true
	case "Scan":
		c.Scans, c.ScanOne, c.Rows = 1, true, true
	case "Create", "CreateInBatches", "Save", "Delete", "FirstOrCreate":
		c.OwnTx = true
	}
	return c, ok
}
