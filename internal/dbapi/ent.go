package dbapi

import (
	"slices"
	"strings"
)

// entTypes are the endings of the types that ent generates for an entity.
var entTypes = []string{"Client", "Query", "Select", "GroupBy", "UpdateOne", "Update", "DeleteOne", "Delete", "CreateBulk", "Create"}

// entity splits the name of a type that ent generates: of "AccountQuery" it
// is "Account" and "Query".
func entity(typ string) (name, what string) {
	for _, t := range entTypes {
		if e, ok := strings.CutSuffix(typ, t); ok && e != "" {
			return e, t
		}
	}
	return "", ""
}

// Generated says what a method does of a client that ent has generated:
// typ is the receiver's type and result that of the first result, both
// without package and pointer. entity is what the client's tables are
// named by.
func Generated(typ, method, result string) (c Call, ent string, ok bool) {
	ent, what := entity(typ)
	c = newCall()
	c.Func, c.Lib, c.Handle, c.Result = method, "ent", 0, 0
	if typ == "Tx" && method == "Client" {
		c.Does = Same
		return c, "", true
	}
	if entSession(&c, typ, method, result) {
		return c, "", true
	}
	_, made := entity(result)
	switch {
	case what == "":
		return c, "", false
	case what == "Client":
		c.Does, c.Binds = Builder, 0
		return c, ent, slices.Contains([]string{"Query", "Create", "CreateBulk", "MapCreateBulk", "Update", "UpdateOne", "UpdateOneID", "Delete", "DeleteOne", "DeleteOneID"}, method)
	case strings.HasPrefix(method, "Query") && what == "Query": // over an edge: other rows
		return c, "", false
	case made != "" && strings.HasPrefix(result, ent):
		c.Does = Builder
		return c, ent, true
	}
	c.Does, c.Ctx, c.ErrResult = Finisher, 1, 1
	if base, must := strings.CutSuffix(method, "X"); must {
		method, c.Must, c.ErrResult = base, true, None
	}
	switch what {
	case "Query":
		c.Row, c.Rows = method == "First" || method == "Only", method == "All"
		return c, ent, slices.Contains([]string{"All", "First", "Only", "FirstID", "OnlyID", "IDs", "Count", "Exist"}, method)
	case "Select", "GroupBy":
		c.Scans, c.ScanOne, c.Rows, c.Result, c.ErrResult = 2, true, true, None, min(c.ErrResult, 0)
		return c, ent, method == "Scan"
	case "Delete":
		return c, ent, method == "Exec"
	}
	if method == "Exec" {
		c.Result, c.ErrResult = None, min(c.ErrResult, 0)
	}
	return c, ent, method == "Save" && what != "DeleteOne" || method == "Exec"
}

// entSession fills c for the methods that begin and end a transaction.
func entSession(c *Call, typ, method, result string) bool {
	switch {
	case typ == "Client" && result == "Tx" && (method == "Tx" || method == "BeginTx"):
		c.Does, c.Opens, c.Ctx, c.ErrResult, c.CtxEnds = Begin, "tx", 1, 1, true
		if method == "BeginTx" {
			c.Opts = 2
		}
	case typ == "Tx" && (method == "Commit" || method == "Rollback"):
		c.Does, c.Ends, c.Result, c.ErrResult = Commit, "commit", None, 0
		if method == "Rollback" {
			c.Does, c.Ends = Rollback, "rollback"
		}
	default:
		return false
	}
	return true
}

// Followed reports whether a method of a generated client is read like any
// other function: what its calls do is not known by its name alone.
func Followed(typ, method string) bool {
	switch _, what := entity(typ); what {
	case "":
		return typ != "txDriver" || method != "Exec" && method != "Query"
	case "Client":
		return method != "mutate"
	}
	return false
}
