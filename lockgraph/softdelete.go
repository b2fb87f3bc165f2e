package lockgraph

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
