package docgen

import (
	"fmt"
	"strings"
)

// UnifiedDiff tells how text a becomes text b, in the unified format with
// three lines of context. Equal texts give "".
func UnifiedDiff(a, b []byte, nameA, nameB string) string {
	if string(a) == string(b) {
		return ""
	}
	x, y := splitLines(a), splitLines(b)
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", nameA, nameB)
	for _, h := range hunks(edits(x, y)) {
		h.write(&w, x, y)
	}
	return w.String()
}

// A Change is what a new version of a page does to one generated section.
type Change struct {
	Section       string
	Gone, Written int // lines
}

// Changes tells which sections differ between two versions of a page.
func Changes(old, new []byte) []Change {
	was, err := regions(old)
	if err != nil {
		return nil
	}
	is, err := regions(new)
	if err != nil {
		return nil
	}
	var out []Change
	for _, r := range was {
		for _, n := range is {
			if n.name != r.name {
				continue
			}
			c := Change{Section: r.name}
			for _, e := range edits(splitLines(old[r.start:r.end]), splitLines(new[n.start:n.end])) {
				c.Gone += b2i(e.op == '-')
				c.Written += b2i(e.op == '+')
			}
			if c.Gone+c.Written > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

func splitLines(b []byte) []string {
	lines := strings.SplitAfter(string(b), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// An edit keeps (' '), deletes ('-') or inserts ('+') a line; i and j count
// the lines of both texts before it.
type edit struct {
	op   byte
	i, j int
}

// maxEdits bounds the memory of the search. Texts that differ in more lines
// are shown as one replacement, which is true and hardly less readable.
const maxEdits = 2000

// edits finds a shortest edit script with the greedy algorithm of Myers.
func edits(x, y []string) []edit {
	pre := 0
	for pre < len(x) && pre < len(y) && x[pre] == y[pre] {
		pre++
	}
	post := 0
	for post < len(x)-pre && post < len(y)-pre && x[len(x)-1-post] == y[len(y)-1-post] {
		post++
	}
	var out []edit
	for i := range pre {
		out = append(out, edit{' ', i, i})
	}
	out = append(out, middle(x[pre:len(x)-post], y[pre:len(y)-post], pre)...)
	for i := range post {
		out = append(out, edit{' ', len(x) - post + i, len(y) - post + i})
	}
	return out
}

func middle(x, y []string, off int) []edit {
	var trace [][]int
	most := len(x) + len(y)
	v := make([]int, 2*most+3)
	mid := most + 1 // the diagonal 0; one spare on each side
	for d := 0; d <= most; d++ {
		if d > maxEdits {
			return replace(len(x), len(y), off)
		}
		for k := -d; k <= d; k += 2 {
			i := v[mid+k-1] + 1
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				i = v[mid+k+1]
			}
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			v[mid+k] = i
			if i >= len(x) && i-k >= len(y) {
				return backtrack(trace, len(x), len(y), d, off)
			}
		}
		// Only the diagonals of this round are needed to walk back.
		trace = append(trace, append([]int(nil), v[mid-d:mid+d+1]...))
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// backtrack walks the rounds back from the end to the start.
func backtrack(trace [][]int, i, j, d, off int) []edit {
	var rev []edit
	for ; d > 0; d-- {
		row := trace[d-1] // diagonals -(d-1) … d-1
		at := func(k int) int {
			if k < -(d-1) || k > d-1 {
				return -1
			}
			return row[k+d-1]
		}
		k := i - j
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		pi := at(prev)
		pj := pi - prev
		for i > pi && j > pj {
			i, j = i-1, j-1
			rev = append(rev, edit{' ', off + i, off + j})
		}
		if prev == k+1 {
			j--
			rev = append(rev, edit{'+', off + i, off + j})
		} else {
			i--
			rev = append(rev, edit{'-', off + i, off + j})
		}
	}
	for i > 0 {
		i, j = i-1, j-1
		rev = append(rev, edit{' ', off + i, off + j})
	}
	for l, r := 0, len(rev)-1; l < r; l, r = l+1, r-1 {
		rev[l], rev[r] = rev[r], rev[l]
	}
	return rev
}

func replace(n, m, off int) []edit {
	var out []edit
	for i := range n {
		out = append(out, edit{'-', off + i, off})
	}
	for j := range m {
		out = append(out, edit{'+', off + n, off + j})
	}
	return out
}

type hunk []edit

const context = 3

// hunks cuts the script into pieces with context around each change.
func hunks(es []edit) []hunk {
	var out []hunk
	for n := 0; n < len(es); n++ {
		if es[n].op == ' ' {
			continue
		}
		start, last := max(0, n-context), n
		for n++; n < len(es) && n-last <= 2*context; n++ {
			if es[n].op != ' ' {
				last = n
			}
		}
		n = last
		out = append(out, hunk(es[start:min(len(es), last+context+1)]))
	}
	return out
}

func (h hunk) write(w *strings.Builder, x, y []string) {
	var nx, ny int
	for _, e := range h {
		nx += b2i(e.op != '+')
		ny += b2i(e.op != '-')
	}
	fmt.Fprintf(w, "@@ -%s +%s @@\n", place(h[0].i, nx), place(h[0].j, ny))
	for _, e := range h {
		line := ""
		if e.op == '+' {
			line = y[e.j]
		} else {
			line = x[e.i]
		}
		w.WriteByte(e.op)
		w.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// place writes where a hunk lies; an empty side names the line before it.
func place(at, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", at)
	case 1:
		return fmt.Sprintf("%d", at+1)
	}
	return fmt.Sprintf("%d,%d", at+1, n)
}
