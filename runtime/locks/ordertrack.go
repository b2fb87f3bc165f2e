package locks

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A grant is one lock that is held.
type grant struct {
	key   Key
	mode  Mode
	scope Scope
	stack []uintptr
}

func (g grant) equal(o grant) bool { return same(g.key, o.key) && g.mode == o.mode }

// A holding is what one session holds. That of a pgx connection travels with
// the connection; Locker.InTx and session locks also put theirs into the
// context, so that what is wanted on a second connection is seen too.
type holding struct {
	mu     sync.Mutex
	tx     any // the transaction that the grants of TxScope belong to
	grants []grant
}

// Enter drops what an earlier transaction of the session held.
func (h *holding) Enter(tx any, over func(earlier any) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tx != nil && (identical(h.tx, tx) || !over(h.tx)) || over(tx) {
		return
	}
	h.tx = tx
	h.grants = slices.DeleteFunc(h.grants, inTx)
}

// clear drops what the transaction held: it has ended.
func (h *holding) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tx = nil
	h.grants = slices.DeleteFunc(h.grants, inTx)
}

func inTx(g grant) bool { return g.scope == TxScope }

// identical compares transactions; those of types that cannot be compared
// are never identical.
func identical(a, b any) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

func (h *holding) add(g grant) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grants = append(h.grants, g)
}

// drop forgets one session lock.
func (h *holding) drop(k Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.IndexFunc(h.grants, func(g grant) bool { return g.scope == SessionScope && g.key == k }); i >= 0 {
		h.grants = slices.Delete(h.grants, i, i+1)
	}
}

func (h *holding) list() []grant {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.grants)
}

type heldKey struct{}

// A heldChain is the holdings that a context has gathered.
type heldChain struct {
	h    *holding
	next *heldChain
}

func withHolding(ctx context.Context, h *holding) context.Context {
	next, _ := ctx.Value(heldKey{}).(*heldChain)
	return context.WithValue(ctx, heldKey{}, &heldChain{h, next})
}

// A tracker compares what is wanted with what is held: with the declared
// order, and with the order in which others have taken the same families.
type tracker struct {
	order *Order
	mode  OrderMode
	tell  func(context.Context, Event)

	mu    sync.Mutex
	edges map[edgeEnds]*edge
	list  []*edge // as first seen
	told  map[edgeEnds]bool
}

// edgeEnds is what is one edge: families and modes, not keys.
type edgeEnds struct {
	held, wanted         *family
	heldMode, wantedMode Mode
}

type edge struct {
	ends   edgeEnds
	held   grant // on the first occasion, as wanted and stack
	wanted Key
	stack  []uintptr
	gates  []grant // held on every occasion, besides the two ends
}

func (e *edge) hop() OrderHop { return hops(e.held, e.wanted, e.ends.wantedMode, e.stack)[0] }

func newTracker(o *Order, mode OrderMode, tell func(context.Context, Event)) *tracker {
	return &tracker{order: o, mode: mode, tell: tell, edges: map[edgeEnds]*edge{}, told: map[edgeEnds]bool{}}
}

// want is asked before a statement that may wait. It returns an *OrderError
// when the mode refuses what is wanted. A try is never asked about: it
// cannot wait, so it closes no cycle.
//
// before is held in addition by the time k is wanted.
func (t *tracker) want(ctx context.Context, own *holding, k Key, m Mode, before ...grant) error {
	mine, others := held(ctx, own)
	mine = append(mine, before...)
	for _, g := range mine {
		if same(g.key, k) && !(g.mode == Share && m == Exclusive) && g.mode >= rowFloor(m) {
			return nil // held already: nobody waits
		}
	}
	stack := callers()
	var refused error
	for _, g := range others {
		if same(g.key, k) && m.Conflicts(g.mode) {
			refused = t.refuse(ctx, &OrderError{"the caller holds it on another connection and would wait for itself, which PostgreSQL cannot see", hops(g, k, m, stack)}, refused)
		}
	}
	all := append(mine, others...)
	for _, g := range all {
		if rule := t.forbids(g, k, m); rule != "" {
			refused = t.refuse(ctx, &OrderError{rule, hops(g, k, m, stack)}, refused)
		} else if e := t.observe(g, k, m, stack, all); e != nil {
			t.report(ctx, e)
		}
	}
	return refused
}

// rowFloor is the weakest mode that makes a request for m no wait.
func rowFloor(m Mode) Mode {
	if m <= Share {
		return Exclusive
	}
	return m
}

func hops(g grant, k Key, m Mode, stack []uintptr) []OrderHop {
	return []OrderHop{{Held: g.key, Wanted: k, HeldMode: g.mode, WantedMode: m, HeldStack: stackText(g.stack), Stack: stackText(stack)}}
}

// forbids says which rule a want breaks, "" for none.
func (t *tracker) forbids(g grant, k Key, m Mode) string {
	if g.key.fam == k.fam && !same(g.key, k) {
		if _, nests := t.nests(k.fam); !nests && compareKeys(k, g.key) < 0 {
			return "keys of one family are taken in ascending order of their number, as LockAll does"
		}
		return ""
	}
	wanted, held := t.order.placed(k.fam), t.order.placed(g.key.fam)
	if wanted != "" && held != "" && t.order.Less(wanted, held) {
		return "declared order: " + strings.Join(t.order.Chain(wanted, held), " < ")
	}
	return ""
}

func (t *tracker) nests(f *family) (string, bool) {
	if name := t.order.placed(f); name != "" {
		return t.order.Nests(name)
	}
	return "", false
}

// observe notes that k was wanted while g was held, and returns an error
// value when this closes a cycle with what was seen before.
func (t *tracker) observe(g grant, k Key, m Mode, stack []uintptr, all []grant) *OrderError {
	if same(g.key, k) {
		return raised(g, k, m, stack)
	}
	if g.key.fam == k.fam {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	ends := edgeEnds{g.key.fam, k.fam, g.mode, m}
	gates := slices.DeleteFunc(slices.Clone(all), func(o grant) bool { return same(o.key, g.key) })
	e := t.edges[ends]
	if e == nil {
		e = &edge{ends: ends, gates: gates, held: g, wanted: k, stack: stack}
		t.edges[ends] = e
		t.list = append(t.list, e)
	} else {
		kept := slices.DeleteFunc(slices.Clone(e.gates), func(o grant) bool { return !slices.ContainsFunc(gates, o.equal) })
		if len(kept) == len(e.gates) {
			return nil
		}
		e.gates = kept
	}
	c := t.cycle([]*edge{e})
	if c == nil {
		return nil
	}
	out := &OrderError{Rule: "seen before the other way round, a cycle in which each could wait for the next"}
	for _, e := range c {
		out.Hops = append(out.Hops, e.hop())
	}
	return out
}

func raised(g grant, k Key, m Mode, stack []uintptr) *OrderError {
	if !m.Conflicts(g.mode) {
		return nil
	}
	return &OrderError{"a weaker lock is raised: two that hold it so and both want more wait for each other", hops(g, k, m, stack)}
}

// maxCycle bounds the hops of a cycle and with it the search.
const maxCycle = 6

// cycle continues a path of edges to where it began, over hops that block:
// each wants what the next holds, in modes that conflict, and no gate keeps
// all of them apart.
func (t *tracker) cycle(path []*edge) []*edge {
	last := path[len(path)-1]
	if len(path) > 1 && meets(last, path[0]) && !gated(path) {
		return path
	}
	if len(path) == maxCycle {
		return nil
	}
	for _, e := range t.list {
		if meets(last, e) && !slices.ContainsFunc(path, func(o *edge) bool { return o.ends.held == e.ends.held }) {
			if c := t.cycle(append(slices.Clip(path), e)); c != nil {
				return c
			}
		}
	}
	return nil
}

func meets(a, b *edge) bool {
	return a.ends.wanted == b.ends.held && a.ends.wantedMode.Conflicts(b.ends.heldMode)
}

// gated reports whether one lock was held in conflicting modes on all hops.
func gated(path []*edge) bool {
	return slices.ContainsFunc(path[0].gates, func(g grant) bool {
		for i, e := range path[1:] {
			if !slices.ContainsFunc(e.gates, func(o grant) bool {
				return same(o.key, g.key) && o.mode.Conflicts(g.mode) && (i == 0 || o.mode == Exclusive || o.mode == ForUpdate)
			}) {
				return false
			}
		}
		return true
	})
}

// refuse reports e, and returns it when the mode enforces and nothing was
// refused before.
func (t *tracker) refuse(ctx context.Context, e *OrderError, before error) error {
	t.report(ctx, e)
	if t.mode == OrderEnforce && before == nil {
		return e
	}
	return before
}

func (t *tracker) report(ctx context.Context, e *OrderError) {
	if t.mode == OrderPanic {
		panic(e)
	}
	h := e.Hops[0]
	sign := edgeEnds{h.Held.fam, h.Wanted.fam, h.HeldMode, h.WantedMode}
	t.mu.Lock()
	again := t.told[sign]
	t.told[sign] = true
	t.mu.Unlock()
	t.tell(ctx, Event{Kind: OutOfOrder, Key: h.Wanted, Mode: h.WantedMode, Err: e, Again: again})
}

// held returns what the session itself holds, and what the other sessions of
// the context hold.
func held(ctx context.Context, own *holding) (mine, others []grant) {
	if own != nil {
		mine = own.list()
	}
	for c, _ := ctx.Value(heldKey{}).(*heldChain); c != nil; c = c.next {
		if c.h != own {
			others = append(others, c.h.list()...)
		}
	}
	return mine, others
}

func callers() []uintptr {
	pc := make([]uintptr, 32)
	return pc[:runtime.Callers(3, pc)]
}

// stackText prints a stack without the frames of this package.
func stackText(pc []uintptr) string {
	var b strings.Builder
	frames := runtime.CallersFrames(pc)
	for {
		f, more := frames.Next()
		ours := strings.Contains(f.Function, "pglockdep/runtime/locks.") && !strings.HasSuffix(f.File, "_test.go")
		if f.Function != "" && !ours {
			fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return strings.TrimSuffix(b.String(), "\n")
		}
	}
}
