package viewer

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/pglockdep/pglockdep/docgen"
)

// A drawing is what draw.js returns: the inside of an SVG element, its size,
// and how many locks it shows.
type drawing struct {
	SVG           string
	Width, Height int
	Locks         int
}

// layout runs the page's own drawing code outside a browser, over the first
// of the locks at the places all.
func layout(c *docgen.Chart, all []int) (drawing, error) {
	fail := func(err error) (drawing, error) { return drawing{}, fmt.Errorf("layout of the picture: %w", err) }
	input, err := json.Marshal([]any{c, all})
	if err != nil {
		return fail(err)
	}
	vm := goja.New()
	// dagre clones labels, which are plain data; the interpreter has no such function.
	if _, err := vm.RunString("var structuredClone = (v) => v === undefined ? v : JSON.parse(JSON.stringify(v))"); err != nil {
		return fail(err)
	}
	for _, name := range []string{"dagre.min.js", "draw.js"} {
		if _, err := vm.RunScript(name, asset(name)); err != nil {
			return fail(err)
		}
	}
	if err := vm.Set("input", string(input)); err != nil {
		return fail(err)
	}
	v, err := vm.RunString(`const [chart, all] = JSON.parse(input); const shown = nearest(chart, all, false);
		Object.assign(draw(chart, shown, false), {locks: shown.length})`)
	if err != nil {
		return fail(err)
	}
	o := v.ToObject(vm)
	number := func(name string) int { return int(o.Get(name).ToInteger()) }
	return drawing{o.Get("svg").String(), number("width"), number("height"), number("locks")}, nil
}
