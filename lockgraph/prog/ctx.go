package prog

import "strings"

// CtxKind says what can end a context: "background" nothing, "detached" only its own
// timeout, "cancelable" a cancellation or deadline of the program, "caller"
// whatever the caller gave; "" when that is not known.
func CtxKind(v *Val) string {
	for i := 0; v != nil && i < 16; i++ {
		switch v.Kind {
		case VApply:
			switch v.Str {
			case "context.Background", "context.TODO", "ctx:detach", "context.WithoutCancel":
				return "background"
			case "ctx:cancel", "ctx:timeout", "context.WithCancel", "context.WithTimeout", "context.WithDeadline":
				if CtxKind(v.Of[0]) == "background" && v.Str != "ctx:cancel" && v.Str != "context.WithCancel" {
					return "detached"
				}
				return "cancelable"
			}
			return ""
		case VCtxWith:
			v = v.Of[0]
		case VParam, VFree, VField:
			return "caller"
		case VChoice: // what most ways agree on, the less sure of two kinds that can end
			kind := ""
			for _, o := range v.Of {
				switch k := CtxKind(o); {
				case k != "cancelable" && k != "caller":
					return ""
				case kind == "" || k == "caller":
					kind = k
				}
			}
			return kind
		default:
			return ""
		}
	}
	return ""
}

// CtxEnd, applied to a context, is the function that ends it.
const CtxEnd = "ctx:end"

// ctxEnds rolls back the transactions that live as long as a context that ends
// here.
func (w *walker) ctxEnds(o *Op, e *env, ctx *Val, sts []*state, parent *Node) []*state {
	open, _ := opens(sts)
	for _, c := range open {
		if c.How == "tx" && endsWith(c.Ctx, ctx) {
			sts = w.end(&Op{Kind: OpEnd, ID: o.ID, Pos: o.Pos, How: "rollback"}, e, sts, parent, c, "rollback")
		}
	}
	return sts
}

// endsWith reports whether ctx ends when outer does.
func endsWith(ctx, outer *Val) bool {
	for i := 0; ctx != nil && i < 16; i++ {
		if Equal(ctx, outer) {
			return true
		}
		switch {
		case ctx.Kind == VCtxWith, ctx.Kind == VApply && strings.HasPrefix(ctx.Str, "ctx:") && ctx.Str != "ctx:detach":
			ctx = ctx.Of[0]
		default:
			return false
		}
	}
	return false
}
