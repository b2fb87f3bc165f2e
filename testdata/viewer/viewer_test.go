package viewer

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pglockdep/pglockdep/docgen"
	"github.com/pglockdep/pglockdep/internal/viewer"
)

// browser starts Chromium once for a test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("no chromium; apt-get install chromium")
		}
		t.Skip("no chromium; apt-get install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1400, 1000), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func run(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// drawn waits until the layout is there.
func drawn(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := chromedp.Poll[bool](`!document.getElementById("picture").hasAttribute("aria-busy") && document.getElementById("picture").innerHTML !== ""`)(ctx, t)
	return chromedp.Void{}, err
}

func eval[T any](t *testing.T, ctx context.Context, js string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// search presses the slash and types what is wanted. The slash is sent as a
// page event: the driver would type it after the focus has moved.
func search(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	eval[bool](t, ctx, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true})) || true`)
	run(t, ctx, chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Enter), drawn)
}

func serve(t *testing.T, c *docgen.Chart) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "graph.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := viewer.HTML(f, c); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// bank is a chart with one deadlock, one lock apart and one that is hostile
// to HTML.
func bank() *docgen.Chart {
	side := func(fn, held, wanted, sql string) docgen.ChartSide {
		return docgen.ChartSide{Held: held, Wanted: wanted, Frames: []docgen.ChartFrame{{Func: fn, At: "bank.go:7", Does: "takes it", SQL: []string{sql}}}}
	}
	return &docgen.Chart{
		Module: "example.test/bank",
		Locks: []docgen.ChartLock{
			{ID: "a", Label: "accounts row", Family: "row", What: "one row of `accounts`", Mode: "`FOR UPDATE`", Modes: []string{"FOR UPDATE"}, TakenBy: "`Transfer`", Serializes: "Balances."},
			{ID: "l", Label: "ledger lock", Family: "advisory", What: "`hashtext('ledger')`", Mode: "exclusive", Modes: []string{"exclusive"}, TakenBy: "`Close`"},
			{ID: "x", Label: `<img src=x onerror="document.title='broken'"> row`, Family: "table", What: "`x`", Mode: "`SHARE`", Modes: []string{"SHARE"}, TakenBy: "`Odd`"},
			{ID: "z", Label: "lonely lock", Family: "advisory", What: "1", Mode: "exclusive", Modes: []string{"exclusive"}, TakenBy: "`Lonely`", Alone: true},
		},
		Arrows: []docgen.ChartArrow{
			{From: 0, To: 1, Cycle: "supported", Sides: []docgen.ChartSide{side("Transfer", "FOR UPDATE", "exclusive", "select 1 from accounts for update")}},
			{From: 1, To: 0, Cycle: "supported", Sides: []docgen.ChartSide{side("Close", "exclusive", "FOR UPDATE", "select pg_advisory_xact_lock(7)")}},
			{From: 1, To: 2, Sides: []docgen.ChartSide{side("Odd", "exclusive", "SHARE", "lock table x in share mode")}},
		},
		Cycles:  []docgen.ChartCycle{{Verdict: "supported", Locks: []int{0, 1}, Text: "`Transfer` and `Close`"}},
		Entries: []docgen.ChartEntry{{Name: "Lonely", Locks: []int{3}}, {Name: "Odd", Locks: []int{1, 2}}},
	}
}

const count = `document.querySelectorAll("#picture [data-lock]").length`

func TestPage(t *testing.T) {
	ctx := browser(t)
	panel := func() string {
		return eval[string](t, ctx, `document.getElementById("panel").innerText`)
	}
	has := func(text string, wants ...string) {
		t.Helper()
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("%q is missing in:\n%s", w, text)
			}
		}
	}
	run(t, ctx, chromedp.Navigate(serve(t, bank())), drawn)
	if n := eval[int](t, ctx, count); n != 3 {
		t.Errorf("%d locks are drawn, want the 3 that have an order", n)
	}
	if n := eval[int](t, ctx, `document.querySelectorAll("#picture .arrow.supported").length`); n != 2 {
		t.Errorf("%d arrows stand out as a deadlock, want 2", n)
	}
	if title := eval[string](t, ctx, "document.title"); title != "Lock order of example.test/bank" {
		t.Errorf("a lock's name ran as code: %q", title)
	}

	// A click on an arrow tells both call paths and their SQL.
	eval[bool](t, ctx, `document.querySelector('[data-arrow="0"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	has(panel(), "Transfer", "select 1 from accounts for update", "The other way round", "Close", "select pg_advisory_xact_lock(7)", "can deadlock")

	// A click on a lock tells its row of the page.
	run(t, ctx, chromedp.Click(`[data-lock="0"] rect`))
	has(panel(), "accounts row", "one row of accounts", "FOR UPDATE", "Transfer", "Balances.", "Taken while it is held")

	// The keyboard does the same.
	eval[bool](t, ctx, `(document.querySelector('[data-lock="1"]').focus(), true)`)
	run(t, ctx, chromedp.KeyEvent(kb.Enter))
	has(panel(), "ledger lock", "nobody has said yet")
	before := eval[string](t, ctx, `document.getElementById("picture").getAttribute("viewBox")`)
	run(t, ctx, chromedp.KeyEvent("+"))
	zoomed := eval[string](t, ctx, `document.getElementById("picture").getAttribute("viewBox")`)
	if before == zoomed {
		t.Error("plus does not zoom")
	}
	run(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
	if eval[string](t, ctx, `document.getElementById("picture").getAttribute("viewBox")`) == zoomed {
		t.Error("the arrow key does not move the picture")
	}

	// Search narrows to the neighbours, Escape widens again.
	search(t, ctx, "accounts")
	if n := eval[int](t, ctx, count); n != 2 {
		t.Errorf("%d locks are drawn around accounts, want 2", n)
	}
	run(t, ctx, chromedp.KeyEvent(kb.Escape), drawn)
	if n := eval[int](t, ctx, count); n != 3 {
		t.Errorf("%d locks are drawn after Escape, want 3", n)
	}

	// The filters.
	change := func(id, js string) {
		eval[bool](t, ctx, fmt.Sprintf(`(() => {const e = document.getElementById(%q); %s; return e.dispatchEvent(new Event("change", {bubbles: true}))})()`, id, js))
		run(t, ctx, drawn)
	}
	change("entry", `e.value = "0"`)
	if n := eval[int](t, ctx, count); n != 1 {
		t.Errorf("%d locks of the path Lonely are drawn, want 1", n)
	}
	change("entry", `e.value = ""`)
	change("mode", `e.value = "SHARE"`)
	if n := eval[int](t, ctx, count); n != 1 {
		t.Errorf("%d locks are taken in SHARE mode, want 1", n)
	}
	change("mode", `e.value = ""`)
	change("cycles", `e.checked = true`)
	if n := eval[int](t, ctx, count); n != 2 {
		t.Errorf("%d locks are on cycles, want 2", n)
	}
	change("cycles", `e.checked = false`)
	change("families", `e.querySelector("[value=row]").checked = false`)
	if n := eval[int](t, ctx, count); n != 2 {
		t.Errorf("%d locks are drawn without rows, want 2", n)
	}
	if s := eval[string](t, ctx, `document.getElementById("status").textContent`); !strings.Contains(s, "2 of 4 locks") {
		t.Errorf("the status says %q", s)
	}
}

// The page asks the network for nothing and is a table without JavaScript.
func TestSelfContained(t *testing.T) {
	var w strings.Builder
	if err := viewer.HTML(&w, bank()); err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 16)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.Path != "/favicon.ico" {
			asked <- r.URL.Path
		}
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("Content-Security-Policy", "script-src 'none'; connect-src 'none'; img-src 'none'; font-src 'none'")
		_, _ = rw.Write([]byte(w.String()))
	}))
	defer srv.Close()
	ctx := browser(t)
	run(t, ctx, chromedp.Navigate(srv.URL))
	text := eval[string](t, ctx, `document.body.innerText`)
	for _, want := range []string{"accounts row", "ledger lock", "can deadlock", "nobody", "Held"} {
		if want != "nobody" && !strings.Contains(text, want) {
			t.Errorf("without scripts the page does not say %q:\n%s", want, text)
		}
	}
	if eval[bool](t, ctx, `document.getElementById("app").checkVisibility()`) {
		t.Error("tools that need scripts are shown without them")
	}
	select {
	case path := <-asked:
		t.Errorf("the page asked for %s", path)
	default:
	}
}

// Large graphs stay usable: the blocking core is drawn, the rest is found.
func TestLarge(t *testing.T) {
	const locks, arrows = 500, 5000
	c := &docgen.Chart{Module: "example.test/large", Cycles: []docgen.ChartCycle{}, Entries: []docgen.ChartEntry{}}
	for i := range locks {
		c.Locks = append(c.Locks, docgen.ChartLock{ID: fmt.Sprint(i), Label: fmt.Sprintf("table_%d row", i), Family: "row", What: "`t`", Mode: "`FOR UPDATE`", Modes: []string{"FOR UPDATE"}, TakenBy: "`F`"})
	}
	for i := range arrows {
		from := i % locks
		to := (from + 1 + i/locks*7) % locks
		c.Arrows = append(c.Arrows, docgen.ChartArrow{From: from, To: to, Sides: []docgen.ChartSide{{
			Held: "FOR UPDATE", Wanted: "FOR UPDATE",
			Frames: []docgen.ChartFrame{{Func: "F", At: "f.go:1", Does: "locks", SQL: []string{"select 1 for update"}}, {Func: "G", At: "g.go:1", Does: "locks"}},
		}}})
	}
	ctx := browser(t)
	run(t, ctx, chromedp.Navigate(serve(t, c)), chromedp.WaitVisible("#app"))
	paint := eval[float64](t, ctx, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
	run(t, ctx, drawn)
	t.Logf("%d locks, %d arrows: first paint after %.0f ms, drawn after %.0f ms", locks, arrows, paint, eval[float64](t, ctx, "performance.now()"))
	if paint < 0 || paint > 2000 {
		t.Errorf("first paint after %.0f ms, want at most 2 s", paint)
	}
	if scale := eval[float64](t, ctx, `(() => { const p = document.getElementById("picture"); return p.viewBox.baseVal.width / p.getBoundingClientRect().width })()`); scale > 1.31 {
		t.Errorf("the picture is shown %.1f times smaller than its letters are, want at most 1.3", scale)
	}
	n := eval[int](t, ctx, count)
	if n < 12 || n > 60 {
		t.Errorf("%d locks are drawn at once, want 12 to 60", n)
	}
	if s := eval[string](t, ctx, `document.getElementById("status").textContent`); !strings.Contains(s, fmt.Sprint(locks-n, " more")) {
		t.Errorf("the status says %q", s)
	}
	search(t, ctx, "table_499 row")
	if n := eval[int](t, ctx, `document.querySelectorAll('#picture [data-lock="499"]').length`); n != 1 {
		t.Error("a lock outside the first picture is not found by search")
	}
}
