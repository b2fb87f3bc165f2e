package lockgraph

// reduce marks the rules that others imply, so that the list stays one that
// a person reads. Only rules without exceptions imply anything, and rules
// with exceptions are never dropped for it: the exception is the news.
func (r *ruler) reduce(all []*profile) {
	rules := r.sorted()
	r.impliedByFirst(rules, all)
	r.impliedByHolding(rules)
	r.transitive(rules, FormBefore)
	r.transitive(rules, FormOnlyWhileHolding)
	r.oneOrder(rules)
}

// impliedByFirst drops what holds because a is the first lock of every kind
// of transaction in which b is taken.
func (r *ruler) impliedByFirst(rules []*tally, all []*profile) {
	firstOf := map[string]map[string]bool{} // class, kinds
	for _, t := range rules {
		if t.rule.Form == FormFirst && t.exact() {
			if firstOf[t.rule.A] == nil {
				firstOf[t.rule.A] = map[string]bool{}
			}
			firstOf[t.rule.A][t.rule.Kind] = true
		}
	}
	kinds := map[string]map[string]bool{} // class, kinds of transactions that take it
	for _, p := range all {
		for _, tx := range p.txs {
			for _, k := range tx.takes {
				if kinds[k.class] == nil {
					kinds[k.class] = map[string]bool{}
				}
				kinds[k.class][tx.kind] = true
			}
		}
	}
	for _, t := range rules {
		first := firstOf[t.rule.A]
		if first == nil || !t.exact() || t.rule.Declared || t.rule.Form == FormFirst || t.rule.Form == FormOrder || t.rule.Form == FormScope {
			continue
		}
		implied := true
		for k := range kinds[t.rule.B] {
			implied = implied && first[k]
		}
		t.implied = t.implied || implied
	}
}

// impliedByHolding drops, of three rules about one pair, what the strongest
// says: taken only while holding, then written only while holding, then
// before.
func (r *ruler) impliedByHolding(rules []*tally) {
	has := map[[3]string]*tally{}
	for _, t := range rules {
		if !t.implied {
			has[[3]string{t.rule.Form, t.rule.A, t.rule.B}] = t
		}
	}
	for _, t := range rules {
		if t.rule.Declared {
			continue
		}
		only := has[[3]string{FormOnlyWhileHolding, t.rule.A, t.rule.B}]
		write := has[[3]string{FormWriteUnder, t.rule.A, t.rule.B}]
		switch t.rule.Form {
		case FormBefore:
			t.implied = t.implied || only != nil && (t.exact() || sameKeys(t.breaks, only.breaks)) ||
				write != nil && t.exact() && only == nil
		case FormWriteUnder:
			t.implied = t.implied || only != nil && (t.exact() && only.exact() && len(t.keep) < len(only.keep))
		case FormOnlyWhileHolding:
			// Where all that is taken is written, say that it is written.
			t.implied = t.implied || write != nil && sameKeys(t.keep, write.keep) && sameKeys(t.breaks, write.breaks)
		}
	}
}

func sameKeys(a, b map[string]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

// transitive drops a–c where a–b and b–c say it.
func (r *ruler) transitive(rules []*tally, form string) {
	next := map[string][]string{}
	for _, t := range rules {
		if t.rule.Form == form && t.exact() && len(t.keep) > 0 {
			next[t.rule.A] = append(next[t.rule.A], t.rule.B)
		}
	}
	for _, t := range rules {
		if t.rule.Form != form || !t.exact() || t.rule.Declared || t.implied {
			continue
		}
		t.implied = reaches(next, t.rule.A, t.rule.B)
	}
}

// reaches reports whether a leads to b over at least one other class, and
// not around in a circle.
func reaches(next map[string][]string, a, b string) bool {
	seen := map[string]bool{a: true}
	var queue []string
	for _, n := range next[a] {
		if n != b && !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, x := range next[n] {
			if x == b {
				return true
			}
			if !seen[x] {
				seen[x] = true
				queue = append(queue, x)
			}
		}
	}
	return false
}

// oneOrder keeps the order of a class that most paths show.
func (r *ruler) oneOrder(rules []*tally) {
	best := map[string]*tally{}
	for _, t := range rules {
		if t.rule.Form != FormOrder {
			continue
		}
		if b := best[t.rule.A]; b == nil || len(t.keep) > len(b.keep) {
			best[t.rule.A] = t
		}
	}
	for _, t := range rules {
		if t.rule.Form == FormOrder && best[t.rule.A] != t {
			t.implied = true
		}
	}
}
