package locksummary

import (
	"strings"
	"sync"

	"github.com/pglockdep/pglockdep/internal/dbapi"
	"github.com/pglockdep/pglockdep/internal/effect"
	"github.com/pglockdep/pglockdep/internal/schema"
	"github.com/pglockdep/pglockdep/lockgraph"
	"github.com/pglockdep/pglockdep/lockgraph/prog"
)

// A Resolver answers from a catalog what statements do. It is safe for
// concurrent use and remembers every text.
type Resolver struct {
	Catalog *schema.Catalog

	mu      sync.Mutex
	tables  map[string]string // model type → table, from TableName methods
	structs map[string]prog.Struct
	models  map[string]*dbapi.Model // by library and type
	effects map[string][]prog.Op
	orders  map[string]string
}

// NewResolver returns a resolver over a catalog.
func NewResolver(cat *schema.Catalog) *Resolver {
	return &Resolver{Catalog: cat, tables: map[string]string{}, structs: map[string]prog.Struct{}, models: map[string]*dbapi.Model{},
		effects: map[string][]prog.Op{}, orders: map[string]string{}}
}

// Learn takes in what packages say of the structs that are rows.
func (r *Resolver) Learn(pkgs ...*prog.Package) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pkgs {
		for _, n := range p.Names {
			if typ, ok := strings.CutPrefix(n.Of, "table "); ok {
				r.tables[typ] = n.Name
			}
		}
		for _, s := range p.Structs {
			r.structs[s.Type] = s
		}
	}
}

// Effect implements prog.Resolver.
func (r *Resolver) Effect(text string) []prog.Op {
	r.mu.Lock()
	ops, ok := r.effects[text]
	r.mu.Unlock()
	if ok {
		return ops
	}
	ops = effect.Of(r.Catalog, text)
	r.mu.Lock()
	r.effects[text] = ops
	r.mu.Unlock()
	return ops
}

// Order implements prog.Resolver.
func (r *Resolver) Order(text string) string {
	r.mu.Lock()
	o, ok := r.orders[text]
	r.mu.Unlock()
	if ok {
		return o
	}
	o = effect.Order(text)
	r.mu.Lock()
	r.orders[text] = o
	r.mu.Unlock()
	return o
}

// Class implements prog.Resolver.
func (r *Resolver) Class(a *prog.Acq, key []*prog.Val) *lockgraph.Class {
	if a.Family == lockgraph.Mutex {
		name := shortField(a.Relation)
		if a.Relkind != "" {
			name = a.Relkind + " " + name
		}
		return &lockgraph.Class{ID: "mutex " + a.Relation, Family: lockgraph.Mutex, Name: name}
	}
	return effect.ClassOf(a, key)
}

func shortField(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
