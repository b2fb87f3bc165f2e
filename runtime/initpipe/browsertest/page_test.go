package browsertest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pglockdep/pglockdep/runtime/initpipe"
)

const (
	status = `[role="status"][aria-live="polite"]`
	alert  = `[role="alert"]`
	button = `button.start`
)

func TestPage(t *testing.T) {
	scanner := axe(t)
	b := browser(t)
	for name, f := range map[string]func(*testing.T){
		"double click":       func(t *testing.T) { doubleClick(t, newSite(t), b) },
		"two replicas":       func(t *testing.T) { twoReplicas(t, newSite(t), b, scanner) },
		"failure and retry":  func(t *testing.T) { failure(t, newSite(t), b, scanner) },
		"unlock warning":     func(t *testing.T) { unlockWarning(t, newSite(t), b, scanner) },
		"opened in a run":    func(t *testing.T) { openedInRun(t, newSite(t), b) },
		"by keyboard":        func(t *testing.T) { byKeyboard(t, newSite(t), b) },
		"without JavaScript": func(t *testing.T) { withoutScript(t, newSite(t), b) },
		"dry run":            func(t *testing.T) { dryRun(t, newSite(t), b) },
		"narrow and dark":    func(t *testing.T) { narrow(t, newSite(t), b, scanner) },
		"translated":         func(t *testing.T) { translated(t, b, scanner) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t)
		})
	}
}

type ctx = context.Context

func doubleClick(t *testing.T, s *site, b ctx) {
	page := newTab(t, b, s.urls[0])
	page.says(status, initpipe.English.Pending)
	page.do(chromedp.Click(button), chromedp.Click(button))
	page.says(status, "In progress: stage 2 of 3, Seed courses. Started by alice")
	page.says(status, initpipe.English.InProgress)
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
	if n := s.get(`SELECT count(*) FROM initpipe_run`); n != 1 {
		t.Errorf("%d runs", n)
	}
	page.do(chromedp.Click(button))
	page.says(status, initpipe.English.Unchanged)
}

func twoReplicas(t *testing.T, s *site, b ctx, scanner string) {
	one, two := newTab(t, b, s.urls[0]), newTab(t, b, s.urls[1])
	one.shot("pending")
	one.scan(scanner, "nothing has run")
	one.do(chromedp.Click(button))
	one.says(status, "stage 2 of 3")
	two.says(status, "stage 2 of 3, Seed courses. Started by alice")
	two.says(".stages", "2 of 5")
	two.says(".stages", "courses")
	if got := two.eval(`document.querySelector("button.start").getAttribute("aria-disabled")`); got != "true" {
		t.Errorf("aria-disabled is %q", got)
	}
	// The button is an aid alone: the server decides.
	two.do(chromedp.Click(button))
	two.says(status, initpipe.English.InProgress)
	if words := two.text("body"); strings.Contains(words, "409") || strings.Contains(words, "INIT_IN_PROGRESS") {
		t.Errorf("the page shows a code: %s", words)
	}
	two.shot("running")
	two.scan(scanner, "while it runs")
	s.open(nil)
	for _, page := range []*tab{one, two} {
		page.says(status, initpipe.English.Initialised)
		page.says("#live", "succeeded")
	}
	if words := two.text(status); strings.Contains(words, initpipe.English.InProgress) {
		t.Errorf("what was refused is still said: %s", words)
	}
	two.shot("done")
	two.scan(scanner, "after a run")
}

func failure(t *testing.T, s *site, b ctx, scanner string) {
	page := newTab(t, b, s.urls[0])
	page.do(chromedp.Click(button))
	page.says(status, "stage 2 of 3")
	s.open(errors.New("no chalk"))
	page.says(alert, "Stage “Seed courses” failed: no chalk. No change of this stage was completed. Retry after fixing the cause.")
	page.says(status, initpipe.English.Failed)
	page.says(".rolled-back", "failed, rolled back")
	page.shot("failed")
	page.scan(scanner, "after a failure")
	page.do(chromedp.Click(button))
	page.says(status, "stage 2 of 3")
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
	if words := page.text(alert); words != "" {
		t.Errorf("the alert still says %q", words)
	}
	page.says(".stages", "done before")
}

func unlockWarning(t *testing.T, s *site, b ctx, scanner string) {
	page := newTab(t, b, s.urls[0])
	page.do(chromedp.Click(button))
	page.says(status, "stage 2 of 3")
	s.unlocks.Store(true)
	s.open(nil)
	page.says(alert, initpipe.English.CheckState)
	page.says(status, initpipe.English.Initialised)
	other := newTab(t, b, s.urls[1])
	other.says(alert, initpipe.English.CheckState)
	other.shot("warning")
	other.scan(scanner, "with a warning")
}

func openedInRun(t *testing.T, s *site, b ctx) {
	newTab(t, b, s.urls[0]).do(chromedp.Click(button))
	page := newTab(t, b, s.urls[1])
	page.says(status, "In progress: stage 2 of 3")
	page.do(chromedp.Reload())
	page.says(status, "In progress: stage 2 of 3")
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
}

func byKeyboard(t *testing.T, s *site, b ctx) {
	page := newTab(t, b, s.urls[0])
	page.do(chromedp.KeyEvent(kb.Tab))
	if got := page.eval(`document.activeElement.className`); got != "start" {
		t.Errorf("the first stop of the keyboard is %q", got)
	}
	page.do(chromedp.KeyEvent(kb.Enter))
	page.says(status, "stage 2 of 3")
	if got := page.eval(`document.activeElement.className`); got != "start" {
		t.Errorf("the focus went to %q", got)
	}
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
	page.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab))
	if got := page.eval(`document.activeElement.id`); got != "from" {
		t.Errorf("the third stop is %q", got)
	}
	page.do(chromedp.KeyEvent("S"), chromedp.KeyEvent(kb.Enter)) // Seed courses
	page.says("#from", "Seed courses")
	page.do(chromedp.Click(button))
	page.says(status, "stage 2 of 3")
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
	if n := s.get(`SELECT count(*) FROM initpipe_run`); n != 2 {
		t.Errorf("%d runs", n)
	}
}

func withoutScript(t *testing.T, s *site, b ctx) {
	page := newTab(t, b, s.urls[0], noScript)
	page.says(status, initpipe.English.Pending)
	page.do(chromedp.Click(button, chromedp.NodeVisible))
	page.says(status, "stage 2 of 3, Seed courses")
	other := newTab(t, b, s.urls[1], noScript)
	other.do(chromedp.Click(button, chromedp.NodeVisible))
	other.says(status, initpipe.English.InProgress)
	s.open(nil)
	page.says(status, initpipe.English.Initialised) // by the refresh of the page
}

func dryRun(t *testing.T, s *site, b ctx) {
	page := newTab(t, b, s.urls[0])
	page.do(chromedp.Click("summary"), chromedp.Click(`button[name="dry_run"]`))
	page.says(status, initpipe.English.DryRunDone)
	page.says(status, initpipe.English.Pending)
	if n := s.get(`SELECT count(*) FROM pg_class WHERE relname IN ('course', 'initpipe_run')`); n != 0 {
		t.Error("something was written")
	}
}

func narrow(t *testing.T, s *site, b ctx, scanner string) {
	page := newTab(t, b, s.urls[0], scheme("dark"), chromedp.EmulateViewport(360, 800))
	page.do(chromedp.Click(button))
	page.says(status, "stage 2 of 3")
	s.open(errors.New("no chalk"))
	page.says(alert, "no chalk")
	page.shot("narrow-dark")
	page.scan(scanner, "dark")
	if got := page.eval(`String(document.documentElement.scrollWidth <= 360)`); got != "true" {
		t.Error("the page is wider than a telephone")
	}
	page.do(scheme("light"), chromedp.EmulateViewport(360, 800))
	page.scan(scanner, "light")
	page.do(scheme("dark"), chromedp.EmulateViewport(1100, 900), chromedp.Click(button))
	page.says(status, "stage 2 of 3")
	page.shot("running-dark")
	page.scan(scanner, "dark, while it runs")
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
}

func translated(t *testing.T, b ctx, scanner string) {
	s := newSite(t, func(c *initpipe.HandlerConfig) {
		c.Text = initpipe.Text{Lang: "de", Title: "Datenbank einrichten", Start: "Einrichtung starten", Pending: "Noch nicht eingerichtet.",
			InProgress: "Eine andere Einrichtung läuft; danach noch einmal versuchen."}
	})
	page := newTab(t, b, s.urls[0])
	page.says("h1", "Datenbank einrichten")
	page.says(status, "Noch nicht eingerichtet.")
	page.do(chromedp.Click(button), chromedp.Click(button))
	page.says(status, "Eine andere Einrichtung läuft")
	page.scan(scanner, "translated")
	s.open(nil)
	page.says(status, initpipe.English.Initialised)
}
