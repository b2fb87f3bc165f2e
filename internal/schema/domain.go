package schema

import (
	"fmt"
	"slices"

	"github.com/pglockdep/pglockdep/internal/pgsql"
)

// createDomain keeps the checks of a domain.
func (a *applier) createDomain(s *pgsql.CreateDomainStmt) {
	names := pgsql.Strings(s.GetDomainname())
	base := pgsql.Strings(s.GetTypeName().GetNames())
	if len(names) == 0 || len(base) == 0 {
		return
	}
	if a.Domains == nil {
		a.Domains = map[string][]*Check{}
	}
	name := names[len(names)-1]
	a.Domains[name] = slices.Clone(a.Domains[base[len(base)-1]])
	for _, n := range s.GetConstraints() {
		a.domainCheck(name, n.GetConstraint())
	}
}

func (a *applier) domainCheck(domain string, c *pgsql.Constraint) {
	if c.GetContype() != pgsql.ConstrType_CONSTR_CHECK {
		return
	}
	name := c.GetConname()
	for n := 0; name == "" || slices.ContainsFunc(a.Domains[domain], func(k *Check) bool { return k.Name == name }); n++ {
		if name = domain + "_check"; n > 0 {
			name = fmt.Sprintf("%s_check%d", domain, n)
		}
	}
	a.Domains[domain] = append(slices.Clip(a.Domains[domain]), &Check{Name: name, Expr: pgsql.Expr(c.GetRawExpr())})
}

// alterDomain adds and drops checks.
func (a *applier) alterDomain(s *pgsql.AlterDomainStmt) {
	names := pgsql.Strings(s.GetTypeName())
	if len(names) == 0 || a.Domains[names[len(names)-1]] == nil && s.GetSubtype() == "X" {
		return
	}
	name := names[len(names)-1]
	switch s.GetSubtype() {
	case "C":
		if a.Domains == nil {
			a.Domains = map[string][]*Check{}
		}
		a.domainCheck(name, s.GetDef().GetConstraint())
	case "X":
		a.Domains[name] = slices.DeleteFunc(slices.Clone(a.Domains[name]), func(k *Check) bool { return k.Name == s.GetName() })
	}
}
