package docgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// graph writes the picture, the layers in words, and the cycles.
func (b *book) graph() string {
	p := draw(b.m, b.opts.MaxNodes)
	p.reduce()
	p.thin(b.m, maxArrows)
	if len(p.nodes) == 0 {
		return wrap("No path takes a lock while it holds another, so there is no order to draw.", "", "")
	}
	var w strings.Builder
	lead := "An arrow goes from a lock that is held to one that is taken meanwhile."
	if slices.ContainsFunc(p.arrows, func(a arrow) bool { return a.cycle == "supported" || a.cycle == "possible" }) {
		lead += " Thick arrows lie on a cycle that can block."
	}
	if slices.ContainsFunc(p.arrows, func(a arrow) bool { return a.guess }) {
		lead += " Dotted ones rest on code the analysis could not follow to the end."
	}
	if p.implied > 0 {
		lead += " " + sentence(plural(p.implied, "arrow is", "arrows are")+" left out where a chain of others says the same")
	}
	if p.thinned > 0 {
		lead += " " + sentence(plural(p.thinned, "arrow is", "arrows are")+" left out between locks that are taken in several orders; `pglockdep graph -format html` has all")
	}
	if alone := len(b.m.Classes) - len(p.nodes) - p.hidden; alone > 0 {
		lead += " " + sentence(plural(alone, "lock is", "locks are")+" never held together with another and not drawn")
	}
	if p.hidden > 0 {
		lead += " " + sentence(fmt.Sprintf("the picture shows the %d locks nearest to the core; %d more are hidden, and `pglockdep graph -format html` has all",
			len(p.nodes), p.hidden))
	}
	w.WriteString(wrap(lead, "", "") + "\n```mermaid\n" + b.mermaid(p) + "```\n")
	if len(p.layers) > 1 {
		w.WriteString("\nThe observed order, first to last:\n\n")
		for i, l := range p.layers {
			n := strconv.Itoa(i+1) + ". "
			w.WriteString(wrap(sentence(b.layerText(p, l)), n, strings.Repeat(" ", len(n))))
		}
	}
	w.WriteString(b.cycles())
	w.WriteString(b.waits())
	return w.String()
}

// maxArrows is how many arrows a picture that is to be read may have.
const maxArrows = 50

// layerText lists a layer; classes that are taken in several orders stand
// together and say so.
func (b *book) layerText(p *picture, layer []string) string {
	comp := p.comp
	var out []string
	told := map[int]bool{}
	for _, id := range layer {
		if told[comp[id]] {
			continue
		}
		told[comp[id]] = true
		var names []string
		for _, o := range layer {
			if comp[o] == comp[id] {
				names = append(names, b.the(o))
			}
		}
		text := list(names, 0)
		if len(names) > 1 {
			text += " (in more than one order)"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// maxCycles is how many cycles of one sort the page lists; "check" lists all.
const maxCycles = 8

// capped joins the first bullets and counts the others.
func capped(bullets []string) string {
	if len(bullets) <= maxCycles+1 {
		return strings.Join(bullets, "")
	}
	return strings.Join(bullets[:maxCycles], "") + wrap(sentence(plural(len(bullets)-maxCycles, "more", "more")+", which `pglockdep check` lists"), "- ", "  ")
}

// cycles tells the cycles: those that can deadlock hop by hop, with the
// functions that make the hop, the others by what keeps them apart.
func (b *book) cycles() string {
	var deadlocks, gated []lockgraph.Cycle
	var possible []string
	for _, c := range b.m.Cycles {
		switch c.Verdict {
		case "gated":
			gated = append(gated, c)
		case "possible":
			var names []string
			for _, id := range c.Classes {
				names = append(names, b.the(id))
			}
			possible = append(possible, wrap(sentence(list(names, 0)), "- ", "  "))
		default:
			deadlocks = append(deadlocks, c)
		}
	}
	var out string
	if len(deadlocks) > 0 {
		out += "\n" + wrap("**These paths can deadlock**, each side waiting for the other:", "", "") + "\n" + capped(b.rings(deadlocks))
	}
	if len(possible) > 0 {
		slices.Sort(possible)
		out += "\n" + wrap("These are taken in both orders, but nothing shows that the two sides meet on the same instances:", "", "") + "\n" +
			capped(slices.Compact(possible))
	}
	if len(gated) > 0 {
		out += "\n" + wrap("These are taken in more than one order too, but a lock taken before keeps the sides apart:", "", "") + "\n" + capped(b.gated(gated))
	}
	return out
}

// rings tells cycles, those of the same locks in the same order as one.
func (b *book) rings(cycles []lockgraph.Cycle) []string {
	var out []string
	for _, same := range alike(cycles, func(c lockgraph.Cycle) string { return fmt.Sprint(c.Classes) }) {
		out = append(out, wrap(b.hops(same)+".", "- ", "  "))
	}
	return out
}

// gated tells cycles that cannot block, those that the same locks keep apart
// as one: what is taken in several orders, by whom, and what all hold.
func (b *book) gated(cycles []lockgraph.Cycle) []string {
	var out []string
	for _, same := range alike(cycles, func(c lockgraph.Cycle) string { return fmt.Sprint(c.GatedBy) }) {
		var what, who, by []string
		for _, c := range same {
			for _, id := range c.Classes {
				what = once(what, b.the(id))
			}
			for _, i := range c.Edges {
				if i >= 0 && i < len(b.m.Edges) && len(b.m.Edges[i].Witness) > 0 {
					who = once(who, b.fnCode(b.m.Edges[i].Witness[0].Func))
				}
			}
		}
		for _, id := range same[0].GatedBy {
			by = append(by, b.the(id))
		}
		slices.Sort(what)
		slices.Sort(who)
		text := list(what, 8)
		if len(who) > 0 {
			text += ", taken by " + list(who, 4)
		}
		out = append(out, wrap(sentence(text+": all hold "+list(by, 0)+" meanwhile"), "- ", "  "))
	}
	return out
}

// alike groups cycles by a key, in the order of the first of each group.
func alike(cycles []lockgraph.Cycle, key func(lockgraph.Cycle) string) [][]lockgraph.Cycle {
	var out [][]lockgraph.Cycle
	at := map[string]int{}
	for _, c := range cycles {
		k := key(c)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

// hops tells cycles of the same locks edge by edge.
func (b *book) hops(cycles []lockgraph.Cycle) string {
	var hops []string
	for i := range cycles[0].Edges {
		var who, held, wanted []string
		var from, to string
		for _, c := range cycles {
			if i >= len(c.Edges) || c.Edges[i] < 0 || c.Edges[i] >= len(b.m.Edges) {
				continue
			}
			e := b.m.Edges[c.Edges[i]]
			from, to = e.From, e.To
			held, wanted = once(held, mode(e.Held)), once(wanted, mode(e.Wanted))
			if len(e.Witness) > 0 {
				who = once(who, b.fnCode(e.Witness[0].Func))
			}
		}
		if from == "" {
			continue
		}
		if len(who) == 0 {
			who = []string{"some path"}
		}
		hold, take := " holds ", " and takes "
		if len(who) > 1 {
			hold, take = " hold ", " and take "
		}
		hops = append(hops, list(who, 3)+hold+b.the(from)+" ("+either(held)+")"+take+b.the(to)+" ("+either(wanted)+")")
	}
	return strings.Join(hops, "; ")
}

// once appends s unless it is there.
func once(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

func either(all []string) string { return strings.Join(all, " or ") }

// Mermaid draws the whole graph as a Mermaid flowchart.
func Mermaid(m *lockgraph.Manifest) string {
	return newBook(m, Options{}).mermaid(draw(m, 0))
}

func (b *book) mermaid(p *picture) string {
	var w strings.Builder
	w.WriteString("flowchart TD\n")
	ids := b.nodeIDs(p.nodes)
	for _, l := range p.layers {
		for _, n := range l {
			open, shut := "[", "]"
			if c := b.classes[n]; c != nil {
				switch c.Family {
				case lockgraph.Advisory:
					open, shut = "{{", "}}"
				case lockgraph.Table:
					open, shut = "[(", ")]"
				case lockgraph.Mutex:
					open, shut = "([", "])"
				}
			}
			w.WriteString("  " + ids[n] + open + `"` + mermaidText(b.plain(n)) + `"` + shut + "\n")
		}
	}
	for _, a := range p.arrows {
		line := "-->"
		switch {
		case a.cycle == "supported" || a.cycle == "possible":
			line = "==>"
		case a.guess:
			line = "-.->"
		}
		w.WriteString("  " + ids[a.from] + " " + line + " " + ids[a.to] + "\n")
	}
	return w.String()
}

// plain is the label of a class without Markdown.
func (b *book) plain(class string) string {
	if l, ok := b.labels[class]; ok {
		return strings.ReplaceAll(l, "`", "")
	}
	return class
}

// mermaidText writes a label inside double quotes: Mermaid knows no
// backslash, but character codes between # and a semicolon.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "'", "\n", " ", `\`, "#92;").Replace(s)
}

// nodeIDs makes identifiers from names, so that one new class does not
// rename the others. The leading letter keeps clear of Mermaid's own words.
func (b *book) nodeIDs(classes []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, c := range classes {
		id := c
		if k := b.classes[c]; k != nil && k.Name != "" {
			id = k.Family[:1] + "_" + k.Name
		}
		words := strings.FieldsFunc(id, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
		})
		id = strings.Join(words, "_")
		if len(id) > 40 {
			id = id[:40]
		}
		base := id
		for n := 2; taken[id] || len(words) < 2; n++ {
			id = base + "_" + strconv.Itoa(n)
			words = append(words, "", "")
		}
		taken[id] = true
		out[c] = id
	}
	return out
}

// DOT draws the whole graph for Graphviz.
func DOT(m *lockgraph.Manifest) string {
	b := newBook(m, Options{})
	p := draw(m, 0)
	var w strings.Builder
	w.WriteString("digraph locks {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", shape=box];\n")
	for _, l := range p.layers {
		w.WriteString("  { rank=same;")
		for _, n := range l {
			w.WriteString(" " + dotString(n) + ";")
		}
		w.WriteString(" }\n")
	}
	for _, n := range p.nodes {
		shape := "box"
		if c := b.classes[n]; c != nil {
			shape = map[string]string{lockgraph.Advisory: "hexagon", lockgraph.Table: "cylinder", lockgraph.Mutex: "ellipse"}[c.Family]
			if shape == "" {
				shape = "box"
			}
		}
		w.WriteString("  " + dotString(n) + " [label=" + dotString(b.plain(n)) + ", shape=" + shape + "];\n")
	}
	for _, a := range p.arrows {
		attr := ""
		switch {
		case a.cycle == "supported":
			attr = " [color=red, penwidth=2]"
		case a.cycle == "possible":
			attr = " [color=orange, penwidth=2]"
		case a.guess:
			attr = " [style=dotted]"
		}
		w.WriteString("  " + dotString(a.from) + " -> " + dotString(a.to) + attr + ";\n")
	}
	w.WriteString("}\n")
	return w.String()
}

func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
