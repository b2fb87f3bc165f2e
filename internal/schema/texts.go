package schema

import "slices"

// FromTexts returns the schema that the texts of files make, by file name,
// applied in the order of the names; for callers that may read no files.
func FromTexts(texts map[string]string) *Catalog {
	c := New()
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		m := newMigration(name, texts[name])
		c.applyText(m.File, m.Up, m.UpLine)
	}
	c.SearchPath = slices.Clone(c.path)
	return c
}
