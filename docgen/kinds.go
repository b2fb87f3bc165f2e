package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// A txKind is a helper that begins transactions, with what all of them have
// in common.
type txKind struct {
	name     string
	txs      []*lockgraph.Step
	timeouts []string
	joins    []string // when it works in the caller's transaction, "" for never
	pinned   bool     // it pins connections, and begins no transaction
	entry    bool     // the helper is a path itself
}

func (b *book) txKinds() []*txKind {
	if b.kindList == nil {
		b.kindList = b.findKinds()
	}
	return b.kindList
}

// findKinds sorts the transactions, and the connections that are pinned, by
// what begins them. A helper is a kind
// of its own when several paths share it and it settles something for them;
// the others begin plain transactions.
func (b *book) findKinds() []*txKind {
	var out []*txKind
	plain := &txKind{}
	b.plainKind = map[string]bool{}
	for _, k := range b.allKinds() {
		if k.name != "" && len(k.txs) > 1 && !k.entry && (k.first() != nil || k.join() != "" || slices.ContainsFunc(k.timeouts, func(t string) bool { return t != "" })) {
			out = append(out, k)
			continue
		}
		b.plainKind[k.name] = true
		if k.pinned {
			continue
		}
		plain.txs = append(plain.txs, k.txs...)
		for _, t := range k.timeouts {
			if !slices.Contains(plain.timeouts, t) {
				plain.timeouts = append(plain.timeouts, t)
			}
		}
	}
	if len(plain.txs) > 0 {
		out = append([]*txKind{plain}, out...)
	}
	return out
}

func (b *book) allKinds() []*txKind {
	kinds := map[string]*txKind{}
	entries := map[string]bool{}
	for i := range b.m.Paths {
		entries[lastName(enclosing(b.m.Paths[i].Entry))] = true
	}
	for i := range b.m.Paths {
		eachStep(b.trees[i], func(s *lockgraph.Step) {
			if s.Do != "tx" || s.Handle == "caller" || s.Handle == "savepoint" {
				return
			}
			k := kinds[s.Kind]
			if k == nil {
				k = &txKind{name: s.Kind}
				kinds[s.Kind] = k
			}
			k.txs = append(k.txs, s)
			k.pinned = s.Handle == lockgraph.HandleConn && (k.pinned || len(k.txs) == 1)
			k.entry = entries[lastName(s.Kind)]
			k.timeouts = once(k.timeouts, s.Timeout)
			k.joins = once(k.joins, s.What)
		})
	}
	var out []*txKind
	for _, n := range sortedKeys(kinds) {
		out = append(out, kinds[n])
	}
	return out
}

// boundByKind reports whether every transaction of the kind has the bound,
// so that the kind tells it.
func (b *book) boundByKind(s *lockgraph.Step) bool {
	for _, k := range b.txKinds() {
		if k.name == s.Kind && k.name != "" {
			return len(k.timeouts) == 1
		}
	}
	return false
}

func (k *txKind) noun() string {
	if k.pinned {
		return "pinned connection"
	}
	return "transaction"
}

// join is the condition under which every transaction of the kind is the
// caller's, "" when there is no such one.
func (k *txKind) join() string {
	if len(k.joins) != 1 {
		return ""
	}
	return k.joins[0]
}

// joinsByKind reports whether the kind tells when a transaction is the
// caller's.
func (b *book) joinsByKind(s *lockgraph.Step) bool {
	return slices.ContainsFunc(b.txKinds(), func(k *txKind) bool { return k.name == s.Kind && k.name != "" && k.join() != "" })
}

// first is the lock that every transaction of the kind takes first.
func (k *txKind) first() *lockgraph.Step {
	var first *lockgraph.Step
	for _, tx := range k.txs {
		if len(tx.Steps) == 0 {
			continue
		}
		s := &tx.Steps[0]
		if s.Do != "lock" || first != nil && (first.Class != s.Class || first.Mode != s.Mode) {
			return nil
		}
		first = s
	}
	return first
}

// kinds tells the kinds of transactions once, for all paths that use them.
func (b *book) kinds() string {
	ks := b.txKinds()
	if len(ks) == 0 || len(ks) == 1 && ks[0].name == "" && ks[0].timeouts[0] == "" {
		if len(ks) == 1 {
			return "\n" + wrap("No transaction sets `lock_timeout`, so a wait for a lock lasts until its context ends.", "", "")
		}
		return ""
	}
	var w strings.Builder
	w.WriteString("\nThe kinds of transactions:\n\n")
	for _, k := range ks {
		w.WriteString(wrap(b.kindText(k), "- ", "  "))
	}
	return w.String()
}

func (b *book) kindText(k *txKind) string {
	name := "Plain transactions"
	if k.name != "" {
		name = b.fnCode(k.name)
	}
	text := name + " (" + plural(len(k.txs), k.noun(), k.noun()+"s") + "):"
	if k.name == "" {
		text = name + " (" + thousands(len(k.txs)) + "):"
	}
	if when := k.join(); when != "" && k.name != "" {
		text += " the caller's transaction when " + when + ";"
	}
	if s := k.first(); s != nil && k.name != "" {
		text += " takes " + (&teller{b: b}).first(s) + " first;"
	}
	bounded := slices.DeleteFunc(slices.Clone(k.timeouts), func(t string) bool { return t == "" })
	slices.Sort(bounded)
	switch {
	case len(bounded) == 0:
		return text + " no `lock_timeout` is set, so a wait lasts until its context ends."
	case len(bounded) == 1 && len(k.timeouts) == 1:
		return text + " `lock_timeout` of " + bounded[0] + " bounds every later wait, which fails past it (SQLSTATE 55P03)."
	}
	return text + " `lock_timeout` is set where a path says so; elsewhere a wait lasts until its context ends."
}

// first tells the lock that opens every transaction of a kind.
func (t *teller) first(s *lockgraph.Step) string {
	text := t.name(s)
	if d := t.details(s); len(d) > 0 {
		text += " (" + strings.Join(d, ", ") + ")"
	}
	return text
}
