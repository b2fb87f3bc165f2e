package dbapi

import (
	"fmt"
	"strconv"
	"strings"
)

// set applies one attribute of a table line.
func (c *Call) set(attr string) error {
	key, val, has := strings.Cut(attr, "=")
	if !has {
		if p := c.flag(key); p != nil {
			*p = true
			return nil
		}
		return fmt.Errorf("unknown flag %q", key)
	}
	if p := c.word(key); p != nil {
		*p = val
		return nil
	}
	p := c.index(key)
	if p == nil {
		return fmt.Errorf("unknown attribute %q", key)
	}
	n, err := strconv.Atoi(val)
	if err != nil || n < None {
		return fmt.Errorf("attribute %q wants an index", attr)
	}
	*p = n
	return nil
}

func (c *Call) index(key string) *int {
	switch key {
	case "handle":
		return &c.Handle
	case "ctx":
		return &c.Ctx
	case "sql":
		return &c.SQL
	case "args":
		return &c.Args
	case "stmt":
		return &c.Stmt
	case "batch":
		return &c.Batch
	case "table":
		return &c.Table
	case "name":
		return &c.Name
	case "dsn":
		return &c.DSN
	case "driver":
		return &c.Driver
	case "scans":
		return &c.Scans
	case "opts":
		return &c.Opts
	case "binds":
		return &c.Binds
	case "fn":
		return &c.Callback
	case "fnhandle":
		return &c.CallbackHandle
	case "fnctx":
		return &c.CallbackCtx
	case "key":
		return &c.Key
	case "value":
		return &c.Value
	case "mode":
		return &c.Mode
	case "wait":
		return &c.Wait
	case "result":
		return &c.Result
	case "err":
		return &c.ErrResult
	case "argsresult":
		return &c.ArgsResult
	}
	return nil
}

func (c *Call) word(key string) *string {
	switch key {
	case "opens":
		return &c.Opens
	case "ends":
		return &c.Ends
	case "what":
		return &c.What
	case "style":
		return &c.Style
	case "cancel":
		return &c.Cancel
	}
	return nil
}

func (c *Call) flag(key string) *bool {
	switch key {
	case "row":
		return &c.Row
	case "rows":
		return &c.Rows
	case "must":
		return &c.Must
	case "argsslice":
		return &c.ArgsSlice
	case "named":
		return &c.Named
	case "scanone":
		return &c.ScanOne
	case "owntx":
		return &c.OwnTx
	case "reuses":
		return &c.Reuses
	case "model":
		return &c.Model
	case "nests":
		return &c.Nests
	case "ctxends":
		return &c.CtxEnds
	case "holds":
		return &c.Holds
	case "waits":
		return &c.Waits
	case "multi":
		return &c.Multi
	case "inplace":
		return &c.InPlace
	case "apart":
		return &c.Apart
	}
	return nil
}
