package lockgraph

// Modes of each family, weakest first where the family has one order of
// strength. Bit i of a conflict mask stands for the i-th mode.
var (
	pairModes  = []string{Shared, Exclusive}
	rowModes   = []string{ForKeyShare, ForShare, ForNoKeyUpdate, ForUpdate}
	tableModes = []string{AccessShare, RowShare, RowExclusive, ShareUpdateExclusive,
		Share, ShareRowExclusive, ExclusiveTable, AccessExclusive}
)

// Conflict masks: manual of version 16, section 13.3.1 (table modes), 13.3.2
// (row modes), 13.3.5 (advisory locks). They are symmetric.
var (
	pairConflicts = []uint8{
		0b10, // shared: exclusive
		0b11, // exclusive: all
	}
	rowConflicts = []uint8{
		0b1000, // FOR KEY SHARE: FOR UPDATE
		0b1100, // FOR SHARE: FOR NO KEY UPDATE, FOR UPDATE
		0b1110, // FOR NO KEY UPDATE: all but FOR KEY SHARE
		0b1111, // FOR UPDATE: all
	}
	tableConflicts = []uint8{
		0b10000000, // ACCESS SHARE: ACCESS EXCLUSIVE
		0b11000000, // ROW SHARE: EXCLUSIVE, ACCESS EXCLUSIVE
		0b11110000, // ROW EXCLUSIVE: SHARE and stronger
		0b11111000, // SHARE UPDATE EXCLUSIVE: itself, SHARE and stronger
		0b11101100, // SHARE: ROW EXCLUSIVE, SHARE UPDATE EXCLUSIVE, SHARE ROW EXCLUSIVE and stronger
		0b11111100, // SHARE ROW EXCLUSIVE: ROW EXCLUSIVE and stronger
		0b11111110, // EXCLUSIVE: all but ACCESS SHARE
		0b11111111, // ACCESS EXCLUSIVE: all
	}
)

// Modes returns the modes of a family in the order of the manual, or nil for
// a family that is not known.
func Modes(family string) []string {
	modes, _ := table(family)
	return append([]string(nil), modes...)
}

func table(family string) ([]string, []uint8) {
	switch family {
	case Row:
		return rowModes, rowConflicts
	case Table:
		return tableModes, tableConflicts
	case Advisory, Mutex:
		return pairModes, pairConflicts
	}
	return nil, nil
}

func modeIndex(modes []string, mode string) int {
	for i, m := range modes {
		if m == mode {
			return i
		}
	}
	return -1
}

// Conflicts reports whether two sessions cannot hold one lock of the family
// in these modes at once. A mode or family that is not known conflicts with
// everything of its family: a guess must not hide a wait.
func Conflicts(family, held, wanted string) bool {
	modes, masks := table(family)
	h, w := modeIndex(modes, held), modeIndex(modes, wanted)
	if h < 0 || w < 0 {
		return true
	}
	return masks[h]>>w&1 == 1
}

// AtLeast reports whether holding the family's mode a makes wanting b need
// nothing more: a conflicts with all that b conflicts with.
func AtLeast(family, a, b string) bool {
	if a == b {
		return true
	}
	modes, masks := table(family)
	i, j := modeIndex(modes, a), modeIndex(modes, b)
	if i < 0 || j < 0 {
		return false
	}
	return masks[i]&masks[j] == masks[j]
}

// Stronger reports whether a conflicts with all that b conflicts with, and
// with more. Table modes are not one line: SHARE and SHARE UPDATE EXCLUSIVE
// are each not stronger than the other.
func Stronger(family, a, b string) bool {
	return a != b && AtLeast(family, a, b) && !AtLeast(family, b, a)
}
