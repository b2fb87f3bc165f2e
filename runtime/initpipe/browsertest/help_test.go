package browsertest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
	"github.com/pglockdep/pglockdep/runtime/internal/pglab"
	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
	"github.com/pglockdep/pglockdep/runtime/locks"
)

func TestMain(m *testing.M) { testdb.Main(m) }

var bg = context.Background()

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// browser starts Chromium, once for all tests of t.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		for _, dir := range filepath.SplitList(os.Getenv("PATH") + string(filepath.ListSeparator) + "/usr/bin") {
			if p := filepath.Join(dir, name); path == "" && executable(p) {
				path = p
			}
		}
	}
	if path == "" {
		pglab.Missing(t, "Chromium", "on Debian: apt-get install chromium")
	}
	ctx, cancel := chromedp.NewExecAllocator(bg, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1100, 1000))...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

func executable(p string) bool {
	st, err := os.Stat(p)
	return err == nil && !st.IsDir() && st.Mode()&0o111 != 0
}

// axe is the text of the accessibility scanner.
func axe(t *testing.T) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(file), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		pglab.Missing(t, "axe-core", "npm ci in runtime/initpipe/browsertest")
	}
	return string(b)
}

// A site is a database and two replicas of a service on it.
type site struct {
	t    *testing.T
	dsn  string
	urls [2]string
	gate chan error // what the seed waits for and returns

	unlocks atomic.Bool // the last stage frees the lock behind the pipeline's back
}

func newSite(t *testing.T, change ...func(*initpipe.HandlerConfig)) *site {
	t.Helper()
	s := &site{t: t, dsn: testdb.Database(t, ""), gate: make(chan error)}
	csrf := must(initpipe.NewCSRF([]byte(strings.Repeat("k", 32))))
	for i := range s.urls {
		p := must(initpipe.New(initpipe.Config{Name: "content", Stages: s.stages(), Session: locks.SessionConfig{DSN: s.dsn}, Logger: slog.New(slog.DiscardHandler)}))
		cfg := initpipe.HandlerConfig{CSRF: csrf, Authenticate: func(*http.Request) (string, error) { return "alice", nil }}
		for _, c := range change {
			c(&cfg)
		}
		server := httptest.NewServer(must(p.Handler(cfg)))
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(bg, time.Second)
			defer cancel()
			p.Close(ctx)
			server.CloseClientConnections()
			server.Close()
		})
		s.urls[i] = server.URL + "/api/db/init/page"
	}
	return s
}

func (s *site) stages() []initpipe.Stage {
	return []initpipe.Stage{
		{Name: "create", Title: "Create tables", Run: initpipe.Exec(`CREATE TABLE IF NOT EXISTS course (name text PRIMARY KEY)`)},
		{Name: "seed", Title: "Seed courses", Run: func(ctx context.Context, tx pgx.Tx, p *initpipe.Progress) error {
			p.Step("courses")
			p.Count(2, 5)
			if p.DryRun() {
				return nil
			}
			select {
			case err := <-s.gate:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}},
		{Name: "index", Title: "Build the index", RunConn: func(ctx context.Context, conn *pgx.Conn, _ *initpipe.Progress) error {
			_, err := conn.Exec(ctx, `CREATE INDEX CONCURRENTLY IF NOT EXISTS course_lower ON course (lower(name))`)
			if s.unlocks.Load() {
				_, err = conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`)
			}
			return err
		}},
	}
}

func (s *site) get(sql string) (n int) {
	s.t.Helper()
	conn := must(pgx.Connect(bg, s.dsn))
	defer conn.Close(bg)
	if err := conn.QueryRow(bg, sql).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// open lets the seed that waits return err.
func (s *site) open(err error) {
	s.t.Helper()
	select {
	case s.gate <- err:
	case <-time.After(10 * time.Second):
		s.t.Fatal("no stage waits")
	}
}

type step = chromedp.Action[chromedp.Void]

// A tab is one page of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func newTab(t *testing.T, browser context.Context, url string, before ...step) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 40*time.Second)
	t.Cleanup(stop)
	b := &tab{t, ctx}
	b.do(append(append([]step{focused}, before...), chromedp.Navigate(url))...)
	return b
}

func (b *tab) do(actions ...step) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// text returns what an element says, by a CSS selector.
func (b *tab) text(sel string) string {
	b.t.Helper()
	return b.eval(fmt.Sprintf(`(document.querySelector(%q)?.innerText || "")`, sel))
}

// says waits until an element says words.
func (b *tab) says(sel, words string) {
	b.t.Helper()
	last := ""
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if last = b.text(sel); strings.Contains(last, words) {
			return
		}
	}
	b.t.Fatalf("%s does not say %q but %q", sel, words, last)
}

func (b *tab) eval(js string) string { b.t.Helper(); return value[string](b, js) }

func value[T any](b *tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// scan runs the accessibility scanner.
func (b *tab) scan(axe, what string) {
	b.t.Helper()
	type violation struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	// The page's policy keeps foreign scripts out; the debugger puts it in.
	found := value[[]violation](b, axe+`;axe.run().then(r => r.violations)`)
	for _, f := range found {
		b.t.Errorf("%s: %s: %s: %+v", what, f.ID, f.Help, f.Nodes)
	}
}

// scheme has the page in "light" or "dark".
func scheme(name string) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	})
}

// focused has the page believe that it has the focus while others work in
// tabs of theirs; clicks into the background are lost now and then.
var focused = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return err
})

var noScript = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})

// shot keeps a picture where PGLOCKDEP_SHOTS names a folder.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("PGLOCKDEP_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
