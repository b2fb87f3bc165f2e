package locksummary

import (
	"slices"
	"strconv"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/symval"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// idBatch is added to the id of the call that sends a batch, for the
// transaction that it runs in.
const idBatch = 1 << 27

// queue notes a statement of a batch: it runs when the batch is sent.
func (b *builder) queue(op prog.Op, c *symval.Call) []prog.Op {
	on := b.f.Arg(c, c.API.Handle)
	batch := batchOf(on)
	op.Kind, op.Val, op.Args = prog.OpSQL, b.f.Arg(c, c.API.SQL), b.f.Params(c)
	if handle := b.sender(batch); handle != nil {
		op.Conn = handle
		b.queued[op.ID] = batch
	} else if in := prog.Bare(on); in != nil && (in.Kind == prog.VParam || in.Kind == prog.VFree) {
		op.Conn = prog.New(prog.VHandle, "tx", in) // the transaction in which who gave it sends it
	} else {
		op.Conn = prog.Hole("a batch that another function sends")
		op.Cut = "handle"
	}
	op.Use.Batch = true
	return b.sqlOps(op, c)
}

// batchOf names a batch, whatever type it is handed on as.
func batchOf(v *prog.Val) string { return prog.Bare(v).String() }

// sender finds the handle that the function sends the batch on.
func (b *builder) sender(batch string) *prog.Val {
	var found *prog.Val
	id := 0
	for in := range b.f.IDs {
		c := b.f.Call(in)
		if c.Known && c.API.Does == dbapi.SendBatch && batchOf(b.f.Arg(c, c.API.Batch)) == batch && (found == nil || c.ID < id) {
			found, id = b.f.Arg(c, c.API.Handle), c.ID
		}
	}
	return found
}

// sendBatch returns the transaction that the statements of a batch run in,
// where none is open; sendBatches puts them into it.
func (b *builder) sendBatch(op prog.Op, c *symval.Call) []prog.Op {
	op.ID += idBatch
	b.sent[op.ID] = batchOf(b.f.Arg(c, c.API.Batch))
	op.Kind, op.How, op.Str = prog.OpOpen, "tx", prog.Batch
	if c.API.Ctx >= 0 {
		op.Use.CtxVal = b.f.Arg(c, c.API.Ctx)
	}
	end := prog.Op{Kind: prog.OpEnd, ID: c.ID + idEnd, Pos: op.Pos, Conn: prog.New(prog.VConn, itoa(op.ID)), How: "commit", Str: prog.Batch}
	return []prog.Op{op, end}
}

// sendBatches moves the statements of batches, with the loops and branches
// around them, to where the function sends them.
func (b *builder) sendBatches(body []prog.Op) []prog.Op {
	if len(b.sent) == 0 {
		return body
	}
	moved := map[string]bool{}
	body = b.filled(body, nil, nil, moved)
	return b.withoutQueued(body, moved)
}

// filled returns ops with the transaction of each batch around its statements:
// those before it, else those of the loop around it, which an earlier turn has
// queued. moved says of which batches there were any.
func (b *builder) filled(ops, before, loop []prog.Op, moved map[string]bool) []prog.Op {
	var out []prog.Op
	for i, o := range ops {
		earlier := append(slices.Clone(before), ops[:i]...)
		batch, sends := b.sent[o.ID]
		switch {
		case o.Kind == prog.OpOpen && sends:
			in := b.statements(earlier, batch, o.ID)
			if len(in) == 0 {
				in = b.statements(loop, batch, o.ID)
			}
			if len(in) == 0 {
				continue
			}
			moved[batch] = true
			out = append(append(out, o), in...)
			continue
		case o.Kind == prog.OpEnd && o.Str == prog.Batch && (len(out) == 0 || out[len(out)-1].Kind == prog.OpOpen):
			continue
		case o.Kind == prog.OpLoop:
			o.Body = b.filled(o.Body, earlier, o.Body, moved)
		default:
			o.Body = b.filled(o.Body, earlier, loop, moved)
		}
		o.Arms = slices.Clone(o.Arms)
		for j := range o.Arms {
			o.Arms[j].Body = b.filled(o.Arms[j].Body, earlier, loop, moved)
		}
		out = append(out, o)
	}
	return out
}

// statements returns the queued statements of a batch among ops, in the loops
// and branches they stand in, on the connection that the op tx opens.
func (b *builder) statements(ops []prog.Op, batch string, tx int) []prog.Op {
	var out []prog.Op
	for _, o := range ops {
		switch {
		case o.Kind == prog.OpSQL && b.queued[o.ID] == batch:
			o.Conn = prog.New(prog.VHandle, "tx", prog.New(prog.VConn, itoa(tx)))
			out = append(out, o)
		case o.Kind == prog.OpCall && given(o, map[string]bool{batch: true}):
			b.queues[o.ID] = true
			out = append(out, withTx(o, batch, tx))
		case o.Kind == prog.OpLoop:
			if o.Body = b.statements(o.Body, batch, tx); len(o.Body) > 0 {
				out = append(out, o)
			}
		case o.Kind == prog.OpBranch:
			n := 0
			o.Arms = slices.Clone(o.Arms)
			for j := range o.Arms {
				o.Arms[j].Body = b.statements(o.Arms[j].Body, batch, tx)
				n += len(o.Arms[j].Body)
			}
			if n > 0 {
				out = append(out, o)
			}
		}
	}
	return out
}

// given reports whether a function is called with one of the batches, or has
// captured it: it may queue statements.
func given(o prog.Op, batches map[string]bool) bool {
	of := func(v *prog.Val) bool { return v != nil && batches[batchOf(v)] }
	return slices.ContainsFunc(o.Args, of) || o.Val != nil && o.Val.Kind == prog.VClosure && slices.ContainsFunc(o.Val.Of, of)
}

// withTx returns the call of such a function with the transaction that op tx
// opens in place of the batch.
func withTx(o prog.Op, batch string, tx int) prog.Op {
	on := func(all []*prog.Val) []*prog.Val {
		all = slices.Clone(all)
		for i, a := range all {
			if a != nil && batchOf(a) == batch {
				all[i] = prog.New(prog.VHandle, "tx", prog.New(prog.VConn, itoa(tx)))
			}
		}
		return all
	}
	o.Args = on(o.Args)
	if o.Val != nil && o.Val.Kind == prog.VClosure {
		o.Val = prog.New(prog.VClosure, o.Val.Str, on(o.Val.Of)...)
	}
	return o
}

// withoutQueued drops the statements of the batches where they are queued.
func (b *builder) withoutQueued(ops []prog.Op, moved map[string]bool) []prog.Op {
	var out []prog.Op
	for _, o := range ops {
		if o.Kind == prog.OpSQL && moved[b.queued[o.ID]] && !b.onBatch(o.Conn) || o.Kind == prog.OpCall && b.queues[o.ID] && given(o, moved) {
			continue
		}
		if o.Kind == prog.OpDefer || o.Kind == prog.OpGo { // nothing is moved from there
			out = append(out, o)
			continue
		}
		o.Body = b.withoutQueued(o.Body, moved)
		o.Arms = slices.Clone(o.Arms)
		for j := range o.Arms {
			o.Arms[j].Body = b.withoutQueued(o.Arms[j].Body, moved)
		}
		out = append(out, o)
	}
	return out
}

// onBatch reports the connection of a batch that is sent.
func (b *builder) onBatch(conn *prog.Val) bool {
	c := prog.Bare(conn)
	if c == nil || c.Kind != prog.VConn {
		return false
	}
	id, _ := strconv.Atoi(c.Str)
	_, ok := b.sent[id]
	return ok
}
