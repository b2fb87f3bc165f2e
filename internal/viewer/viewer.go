// Package viewer draws the lock graph: as one SVG picture, and as one HTML
// page that needs nothing from the network.
//
// What enters is a chart (docgen.Chart); what leaves is a file's bytes. Where
// the boxes stand is decided by dagre, a layout library in JavaScript: the
// page runs it in the browser, the picture in an interpreter. The package
// knows no analysis and reads no file.
package viewer

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/pglockdep/pglockdep/docgen"
)

//go:embed assets
var assets embed.FS

func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(b)
}

// page is parsed when it is first drawn: most runs draw none.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"md": spans, "verdict": verdict}).Parse(asset("page.html")))
})

// HTML writes the page of a chart. Its errors are those of w.
func HTML(w io.Writer, c *docgen.Chart) error {
	var modes, families []string
	for _, l := range c.Locks {
		modes = append(modes, l.Modes...)
		families = append(families, l.Family)
	}
	return page().Execute(w, struct {
		Chart               *docgen.Chart
		Modes, Families     []string
		PictureCSS, PageCSS template.CSS
		Library, App        template.JS
	}{
		c, distinct(modes), distinct(families),
		template.CSS(asset("picture.css")), template.CSS(asset("page.css")),
		template.JS(asset("dagre.min.js") + "\n" + asset("draw.js")), template.JS(asset("app.js")),
	})
}

func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// spans turns the code spans of a text into elements.
func spans(text string) template.HTML {
	var w strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		w.WriteString(part)
	}
	return template.HTML(w.String())
}

func verdict(v string) string {
	switch v {
	case "supported":
		return "can deadlock"
	case "possible":
		return "may deadlock"
	case "gated":
		return "kept apart by a lock taken before"
	}
	return ""
}

// SVG writes the picture of the locks nearest to the blocking core, and says
// in it how many more there are. Its errors are those of w.
func SVG(w io.Writer, c *docgen.Chart) error {
	all := []int{}
	for i, l := range c.Locks {
		if !l.Alone {
			all = append(all, i)
		}
	}
	d, err := layout(c, all)
	if err != nil {
		return err
	}
	note := ""
	if more := len(all) - d.Locks; more > 0 {
		note = fmt.Sprintf(`<text class="note" x="16" y="%d">%d more locks are not drawn; the page (-format html) has all.</text>`, d.Height+16, more)
		d.Height += 28
	}
	_, err = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-label="Lock order of %[3]s">
<style>%[4]ssvg { background: var(--ground); }
.note { fill: var(--faint); font: 13px system-ui, sans-serif; }
</style>
%[5]s%[6]s
</svg>
`, d.Width, d.Height, template.HTMLEscapeString(c.Module), asset("picture.css"), d.SVG, note)
	return err
}
