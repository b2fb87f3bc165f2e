package lockgraph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// Canon puts a manifest into its one form: every array sorted unless its
// order carries meaning (steps, witness, related, the edges of a cycle), no
// array null, every acquisition, edge and unknown once. The edge numbers of
// cycles follow their edges.
func (m *Manifest) Canon() {
	m.Version = Version
	m.Classes = orEmpty(m.Classes)
	m.Acquisitions = orEmpty(m.Acquisitions)
	m.Edges = orEmpty(m.Edges)
	m.Cycles = orEmpty(m.Cycles)
	m.Paths = orEmpty(m.Paths)
	m.Rules = orEmpty(m.Rules)
	m.Differences = orEmpty(m.Differences)
	m.Findings = orEmpty(m.Findings)
	m.Unknowns = orEmpty(m.Unknowns)
	sort.SliceStable(m.Classes, func(i, j int) bool { return m.Classes[i].ID < m.Classes[j].ID })
	m.Classes = slices.CompactFunc(m.Classes, func(a, b Class) bool { return a.ID == b.ID })
	m.canonAcquisitions()
	m.canonEdges()
	m.canonCycles()
	m.canonPaths()
	m.canonRules()
	for i := range m.Findings {
		m.Findings[i].Related = orEmpty(m.Findings[i].Related)
	}
	SortFindings(m.Findings)
	m.Unknowns = SortUnknowns(m.Unknowns)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// SortUnknowns sorts unknowns by place and drops repeated ones.
func SortUnknowns(u []Unknown) []Unknown {
	less := func(a, b Unknown) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Func+"\x00"+a.Kind+"\x00"+a.Reason, b.Func+"\x00"+b.Kind+"\x00"+b.Reason)
	}
	slices.SortStableFunc(u, less)
	return slices.Compact(u)
}

func (m *Manifest) canonAcquisitions() {
	a := m.Acquisitions
	for i := range a {
		a[i].SQLFunc = orEmpty(a[i].SQLFunc)
	}
	sort.SliceStable(a, func(i, j int) bool {
		switch {
		case a[i].File != a[j].File:
			return a[i].File < a[j].File
		case a[i].Line != a[j].Line:
			return a[i].Line < a[j].Line
		case len(a[i].ID) != len(a[j].ID):
			return len(a[i].ID) < len(a[j].ID) // bank.go:9:2 before bank.go:9:10
		}
		return a[i].ID < a[j].ID
	})
	m.Acquisitions = slices.CompactFunc(a, func(x, y Acquisition) bool { return x.ID == y.ID })
}

// canonEdges sorts the edges and takes the numbers in cycles along.
func (m *Manifest) canonEdges() {
	index := make([]int, len(m.Edges))
	keys := make([]string, len(m.Edges))
	for i := range m.Edges {
		e := &m.Edges[i]
		e.Gates = orEmpty(e.Gates)
		e.Witness = orEmpty(e.Witness)
		for _, set := range e.Gates {
			sort.Strings(set)
		}
		sort.SliceStable(e.Gates, func(x, y int) bool {
			a, b := e.Gates[x], e.Gates[y]
			return len(a) < len(b) || len(a) == len(b) && strings.Join(a, "\x00") < strings.Join(b, "\x00")
		})
		index[i] = i
		keys[i] = e.sortKey()
	}
	sort.SliceStable(index, func(i, j int) bool { return keys[index[i]] < keys[index[j]] })
	edges := make([]Edge, len(m.Edges))
	now := make([]int, len(m.Edges))
	for i, was := range index {
		edges[i] = m.Edges[was]
		now[was] = i
	}
	m.Edges = edges
	for i := range m.Cycles {
		c := &m.Cycles[i]
		moved := make([]int, 0, len(c.Edges))
		for _, e := range c.Edges {
			if e >= 0 && e < len(now) {
				e = now[e]
			}
			moved = append(moved, e)
		}
		c.Edges = moved
	}
}

func (e *Edge) sortKey() string {
	parts := []string{e.From, e.Held, e.To, e.Wanted}
	for _, f := range e.Witness {
		parts = append(parts, f.Func)
	}
	for _, f := range e.Witness {
		parts = append(parts, f.File, fmt.Sprintf("%09d", f.Line), f.Does)
	}
	return strings.Join(parts, "\x00")
}

func (m *Manifest) canonCycles() {
	for i := range m.Cycles {
		c := &m.Cycles[i]
		c.GatedBy = unique(orEmpty(c.GatedBy))
		c.Classes = orEmpty(c.Classes)
	}
	less := cycleOrder(m.Cycles)
	sort.SliceStable(m.Cycles, func(i, j int) bool { return less(&m.Cycles[i], &m.Cycles[j]) })
}

func (m *Manifest) canonPaths() {
	for i := range m.Paths {
		p := &m.Paths[i]
		p.ReachedBy = unique(orEmpty(p.ReachedBy))
		p.Steps = orEmpty(p.Steps)
	}
	sort.SliceStable(m.Paths, func(i, j int) bool { return m.Paths[i].Entry < m.Paths[j].Entry })
}

func (m *Manifest) canonRules() {
	for i := range m.Rules {
		m.Rules[i].Exceptions = unique(orEmpty(m.Rules[i].Exceptions))
	}
	sort.SliceStable(m.Rules, func(i, j int) bool { return m.Rules[i].ID < m.Rules[j].ID })
	for i := range m.Differences {
		d := &m.Differences[i]
		d.Funcs, d.Classes = unique(orEmpty(d.Funcs)), unique(orEmpty(d.Classes))
	}
	sort.SliceStable(m.Differences, func(i, j int) bool { return m.Differences[i].ID < m.Differences[j].ID })
}

// WriteJSON writes the manifest in its one form: the same manifest gives the
// same bytes.
func (m *Manifest) WriteJSON(w io.Writer) error {
	m.Canon()
	return EncodeJSON(w, m)
}

// EncodeJSON writes v as the project writes all its JSON: one space of
// indentation, no escapes but those that JSON needs.
func EncodeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ReadJSON reads a manifest. It refuses another version of the shape, and
// what is no manifest; fields it does not know are left aside, for they may
// be added.
func ReadJSON(r io.Reader) (*Manifest, error) {
	var m Manifest
	dec := json.NewDecoder(r)
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	switch {
	case m.Version == 0:
		return nil, fmt.Errorf("reading the manifest: no version: this is no manifest")
	case m.Version != Version:
		return nil, fmt.Errorf("reading the manifest: version %d, this program reads version %d", m.Version, Version)
	}
	for i, c := range m.Cycles {
		for _, e := range c.Edges {
			if e < 0 || e >= len(m.Edges) {
				return nil, fmt.Errorf("reading the manifest: cycle %d names edge %d of %d", i, e, len(m.Edges))
			}
		}
	}
	return &m, nil
}
