package lockgraph

import (
	"strings"
	"testing"
)

// The matrices as the manual of version 16 prints them (13.3.1, 13.3.2):
// rows are held, columns wanted, in the order of Modes.
func TestConflicts(t *testing.T) {
	for family, matrix := range map[string]string{
		Advisory: `
			.X
			XX`,
		Mutex: `
			.X
			XX`,
		Row: `
			...X
			..XX
			.XXX
			XXXX`,
		Table: `
			.......X
			......XX
			....XXXX
			...XXXXX
			..XX.XXX
			..XXXXXX
			.XXXXXXX
			XXXXXXXX`,
	} {
		modes := Modes(family)
		rows := strings.Fields(matrix)
		if len(rows) != len(modes) {
			t.Fatalf("%s: %d modes, %d rows", family, len(modes), len(rows))
		}
		for i, held := range modes {
			for j, wanted := range modes {
				if got, want := Conflicts(family, held, wanted), rows[i][j] == 'X'; got != want {
					t.Errorf("Conflicts(%s, %s, %s) = %v, want %v", family, held, wanted, got, want)
				}
				if Conflicts(family, held, wanted) != Conflicts(family, wanted, held) {
					t.Errorf("%s: %s and %s conflict one way only", family, held, wanted)
				}
			}
		}
	}
}

func TestConflictsUnknown(t *testing.T) {
	if !Conflicts(Row, "?", ForKeyShare) || !Conflicts("?", Shared, Shared) {
		t.Error("an unknown mode must conflict: a guess must not hide a wait")
	}
	if AtLeast(Row, "?", ForKeyShare) || Modes("?") != nil {
		t.Error("an unknown mode covers nothing")
	}
}

func TestStronger(t *testing.T) {
	for _, c := range []struct {
		family, a, b      string
		stronger, atLeast bool
	}{
		{Row, ForUpdate, ForNoKeyUpdate, true, true},
		{Row, ForShare, ForKeyShare, true, true},
		{Row, ForShare, ForNoKeyUpdate, false, false},
		{Row, ForShare, ForShare, false, true},
		{Advisory, Exclusive, Shared, true, true},
		{Advisory, Shared, Exclusive, false, false},
		{Table, AccessExclusive, AccessShare, true, true},
		{Table, Share, ShareUpdateExclusive, false, false},
		{Table, ShareUpdateExclusive, Share, false, false},
		{Table, ShareRowExclusive, Share, true, true},
		{Table, ShareRowExclusive, RowExclusive, true, true},
		{Table, Share, RowExclusive, false, false},
	} {
		if got := Stronger(c.family, c.a, c.b); got != c.stronger {
			t.Errorf("Stronger(%s, %s, %s) = %v", c.family, c.a, c.b, got)
		}
		if got := AtLeast(c.family, c.a, c.b); got != c.atLeast {
			t.Errorf("AtLeast(%s, %s, %s) = %v", c.family, c.a, c.b, got)
		}
	}
}
