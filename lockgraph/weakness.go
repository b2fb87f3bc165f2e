package lockgraph

// A weakness is a condition on the rows of a cycle that is rarely met, and
// makes it one step less severe.
type weakness struct {
	take *Take
	why  string // said of the take's class
}

// weaknessOf returns the first weakness of a cycle, nil where it has none.
func weaknessOf(sides []*side) *weakness {
	if t := softDeleted(sides); t != nil {
		return &weakness{t, " is locked only once " + t.SoftDeleted + " marks it"}
	}
	for i, s := range sides {
		if h := sides[(i+1)%len(sides)].holds(); s.want.Refuses && !(h.Implicit && h.Mode == ForUpdate) {
			return &weakness{s.want, " is waited for only by a statement that then fails"} // the holder does not delete it
		}
		for _, t := range []*Take{s.holds(), s.want} {
			if t.Rechecked {
				return &weakness{t, " is locked only where the row of " + t.FKFrom + " was changed before"}
			}
		}
	}
	return nil
}

// softDeleted returns a lock by which a side of a cycle shows that its rows
// were soft-deleted before, nil where none does, or all do by rows of one
// class. The rest of the program no longer looks for such rows: it meets that
// side only if it came to them before they were marked.
func softDeleted(sides []*side) *Take {
	var mark *Take
	same := true
	for _, s := range sides {
		t := s.softDeleted()
		if mark == nil {
			mark = t
		}
		same = same && t != nil && t.Class == mark.Class
	}
	if same {
		return nil
	}
	return mark
}

// softDeleted returns the first lock of the side that takes only rows which
// are soft-deleted.
func (s *side) softDeleted() *Take {
	for _, t := range s.held {
		if t.SoftDeleted != "" && !t.Carried {
			return t
		}
	}
	if s.want.SoftDeleted != "" {
		return s.want
	}
	return nil
}
