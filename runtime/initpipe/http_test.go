package initpipe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// serve mounts a pipeline.
func serve(t testing.TB, p *Pipeline, change ...func(*HandlerConfig)) *httptest.Server {
	t.Helper()
	cfg := HandlerConfig{Authenticate: Anonymous, CSRF: NoCSRF}
	for _, c := range change {
		c(&cfg)
	}
	h, err := p.Handler(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

const api = "/api/db/init"

// A reply is an answer that was read.
type reply struct {
	status int
	head   http.Header
	text   string
	body   problem
	state  State
}

func ask(t testing.TB, method, url, body string, head ...string) reply {
	t.Helper()
	r, err := send(t.Context(), method, url, body, head...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func send(ctx context.Context, method, url, body string, head ...string) (r reply, err error) {
	req := must(http.NewRequestWithContext(ctx, method, url, strings.NewReader(body)))
	for i := 0; i < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	r.status, r.head, r.text = res.StatusCode, res.Header, string(b)
	if strings.Contains(res.Header.Get("Content-Type"), "json") && len(b) > 0 {
		var what struct{ Pipeline string }
		err = errors.Join(err, json.Unmarshal(b, &what))
		if what.Pipeline != "" {
			err = errors.Join(err, json.Unmarshal(b, &r.state))
		} else {
			err = errors.Join(err, json.Unmarshal(b, &r.body))
		}
	}
	return r, err
}

func TestDecisionsAreRequired(t *testing.T) {
	p := (&world{t: t, dsn: "host=127.0.0.1 port=1"}).pipeline(content(nil))
	for words, cfg := range map[string]HandlerConfig{
		"Authenticate is not decided": {CSRF: NoCSRF},
		"CSRF is not decided":         {Authenticate: Anonymous},
		"path":                        {Authenticate: Anonymous, CSRF: NoCSRF, Path: "init"},
		"does not take the values":    {Authenticate: Anonymous, CSRF: NoCSRF, Text: Text{RunningStage: "%s"}},
	} {
		if _, err := p.Handler(cfg); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	if _, err := NewCSRF(make([]byte, 31)); err == nil {
		t.Error("a short key was taken")
	}
}

func TestPost(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		f, reached, open := gate()
		p := w.pipeline(content(f), mode)
		s := serve(t, p, func(c *HandlerConfig) {
			c.Authenticate = func(r *http.Request) (string, error) { return r.Header.Get("User"), nil }
		})
		first := make(chan reply, 1)
		go func() { first <- ask(t, "POST", s.URL+api, "", "User", "alice") }()
		<-reached
		st := ask(t, "GET", s.URL+api, "")
		if st.status != 200 || st.state.Status != StatusRunning || st.state.Stage != "seed" || st.state.Holder.Actor != "alice" {
			t.Errorf("GET: %s", st.text)
		}
		busy := ask(t, "POST", s.URL+api, "", "User", "bob")
		b := busy.body
		if busy.status != 409 || b.Code != "INIT_IN_PROGRESS" || b.Stage != "seed" || b.Holder == nil || b.Holder.PID == 0 || b.Holder.Actor != "alice" || b.Since.IsZero() {
			t.Errorf("409: %s", busy.text)
		}
		if busy.head.Get("Retry-After") != "5" || busy.head.Get("Content-Type") != "application/problem+json" || b.Title != "Conflict" {
			t.Errorf("409: %v", busy.head)
		}
		open <- nil
		if r := <-first; r.status != 200 || r.body.Code != "INITIALISED" || r.body.Report.Outcome != Succeeded || r.body.Report.Actor != "alice" {
			t.Errorf("200: %d %s", r.status, r.text)
		}
		if r := ask(t, "POST", s.URL+api, ""); r.status != 200 || r.body.Code != "ALREADY_INITIALISED" {
			t.Errorf("again: %d %s", r.status, r.text)
		}
		open <- nil
		if r := ask(t, "POST", s.URL+api, `{"from": "seed", "dry_run": true}`, "Content-Type", "application/json"); r.status != 200 || r.body.Code != "DRY_RUN" {
			t.Errorf("dry run: %d %s", r.status, r.text)
		}
		open <- errors.New("of the seed")
		r := ask(t, "POST", s.URL+api, `{"from": "seed"}`, "Content-Type", "application/json")
		if r.status != 500 || r.body.Code != "STAGE_FAILED" || r.body.Stage != "seed" || r.body.Step != "courses" || r.body.Remains != RolledBack || r.body.Report.Run == 0 {
			t.Errorf("failure: %d %s", r.status, r.text)
		}
	})
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pipeline(content(nil))
	s := serve(t, p, func(c *HandlerConfig) {
		c.CSRF = must(NewCSRF(bytes.Repeat([]byte("k"), 32)))
		c.Authenticate = func(r *http.Request) (string, error) {
			switch r.Header.Get("User") {
			case "":
				return "", errors.New("who are you?")
			case "mallory":
				return "", ErrForbidden
			}
			return "alice", nil
		}
	})
	page := ask(t, "GET", s.URL+api+"/page", "", "User", "alice")
	token := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page.text)[1]
	cookie, _, _ := strings.Cut(page.head.Get("Set-Cookie"), ";")
	in := []string{"User", "alice", "Cookie", cookie, "X-CSRF-Token", token}
	json := append(slices.Clone(in), "Content-Type", "application/json")
	form := []string{"User", "alice", "Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded"}
	for _, c := range []struct {
		method, path, body string
		head               []string
		status             int
		code               string
	}{
		{"POST", "", "", nil, 401, "UNAUTHENTICATED"},
		{"GET", "", "", nil, 401, "UNAUTHENTICATED"},
		{"GET", "/page", "", nil, 401, "UNAUTHENTICATED"},
		{"GET", "/events", "", nil, 401, "UNAUTHENTICATED"},
		{"POST", "", "", []string{"User", "mallory"}, 403, "FORBIDDEN"},
		{"PUT", "", "", in, 405, "METHOD_NOT_ALLOWED"},
		{"DELETE", "/page", "", in, 405, "METHOD_NOT_ALLOWED"},
		{"POST", "/events", "", in, 405, "METHOD_NOT_ALLOWED"},
		{"POST", "", "", []string{"User", "alice"}, 403, "CSRF"},
		{"POST", "", "", []string{"User", "alice", "Cookie", cookie}, 403, "CSRF"},
		{"POST", "", "", []string{"User", "alice", "X-CSRF-Token", token}, 403, "CSRF"},
		{"POST", "", "", []string{"User", "alice", "X-CSRF-Token", token, "Cookie", csrfCookie + "=ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, 403, "CSRF"},
		{"POST", "", "", append(slices.Clone(in), "Sec-Fetch-Site", "cross-site"), 403, "CSRF"},
		{"POST", "", "", append(slices.Clone(in), "Origin", "https://elsewhere.example"), 403, "CSRF"},
		{"POST", "/page", "", form, 403, ""},
		{"POST", "", `{"from": `, json, 400, "BAD_BODY"},
		{"POST", "", `{"form": "seed"}`, json, 400, "BAD_BODY"},
		{"POST", "", `{} {}`, json, 400, "BAD_BODY"},
		{"POST", "", `[]`, json, 400, "BAD_BODY"},
		{"POST", "", `from=seed`, in, 415, "NOT_JSON"},
		{"POST", "", `"` + strings.Repeat("x", maxBody) + `"`, json, 413, "BODY_TOO_LARGE"},
		{"POST", "", `{"from": "nothing"}`, json, 422, "CANNOT_START_THERE"},
		{"POST", "/page", "csrf=" + token + "&from=nothing", form, 422, ""},
	} {
		r := ask(t, c.method, s.URL+api+c.path, c.body, c.head...)
		if r.status != c.status || r.body.Code != c.code || c.code != "" && r.body.Detail == "" {
			t.Errorf("%s %s %.40s: %d %s", c.method, c.path, c.body, r.status, r.text)
		}
		if c.status == 405 && !strings.HasPrefix(r.head.Get("Allow"), "GET, HEAD") {
			t.Errorf("Allow: %q", r.head.Get("Allow"))
		}
	}
	if w.tables() != 0 {
		t.Error("something was written")
	}
	if r := ask(t, "POST", s.URL+api, "", in...); r.status != 200 {
		t.Errorf("a good request: %d %s", r.status, r.text)
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	down := (&world{t: t, dsn: "host=127.0.0.1 port=1 user=x dbname=x"}).pipeline(content(nil))
	s := serve(t, down)
	if r := ask(t, "POST", s.URL+api, ""); r.status != 503 || r.body.Code != "DATABASE_UNREACHABLE" || r.head.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := ask(t, "GET", s.URL+api, ""); r.status != 503 {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := ask(t, "GET", s.URL+api+"/page", ""); r.status != 200 || !strings.Contains(r.text, English.Unreachable) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := ask(t, "POST", s.URL+api+"/page", ""); r.status != 503 || !strings.Contains(r.text, English.Unreachable) {
		t.Errorf("%d %s", r.status, r.text)
	}
	raised := content(nil)
	raised[0].Version = 2
	runs(t, w.pipeline(raised), Succeeded)
	s = serve(t, w.pipeline(content(nil)))
	if r := ask(t, "POST", s.URL+api, ""); r.status != 422 || r.body.Code != "VERSION_BACKWARDS" {
		t.Errorf("%d %s", r.status, r.text)
	}
	// A stage that panics ends the run, not the program.
	s = serve(t, w.pipeline(content(func(context.Context, pgx.Tx, *Progress) error { panic("of the seed") }), func(c *Config) { c.Name = "other" }))
	if r := ask(t, "POST", s.URL+api, ""); r.status != 500 || r.body.Code != "STAGE_FAILED" || !strings.Contains(r.body.Detail, "panic: of the seed") {
		t.Errorf("%d %s", r.status, r.text)
	}
}

// TestClientLeaves closes the connection of the client inside of a run.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, reached, open := gate()
	p := w.pipeline(content(f))
	s := serve(t, p)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if _, err := send(ctx, "POST", s.URL+api, ""); err == nil {
			t.Error("an answer came")
		}
	}()
	<-reached
	leave()
	<-gone
	time.Sleep(50 * time.Millisecond)
	if st := status(t, p); st.Status != StatusRunning {
		t.Errorf("status %s", st.Status)
	}
	open <- nil
	within(t, 30*time.Second, "the run ends", func() bool { return status(t, p).Status == StatusInitialised })
	w.wantRecorded(Succeeded, "create done, seed done, finish done")
}

func TestAsync(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, reached, open := gate()
	s := serve(t, w.pipeline(content(f)))
	if r := ask(t, "POST", s.URL+api, "", "Prefer", "wait=5, respond-async"); r.status != 202 || r.head.Get("Location") != api || r.body.Code != "INIT_STARTED" {
		t.Errorf("%d %s", r.status, r.text)
	}
	<-reached
	if r := ask(t, "POST", s.URL+api, "", "Prefer", "respond-async"); r.status != 409 {
		t.Errorf("%d %s", r.status, r.text)
	}
	open <- nil
	within(t, 30*time.Second, "the run ends", func() bool { return ask(t, "GET", s.URL+api, "").state.Status == StatusInitialised })
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, reached, open := gate()
	p := w.pipeline(content(f))
	here, there := serve(t, p), serve(t, w.pipeline(content(nil)))
	heard := [2]chan State{listen(t, here.URL), listen(t, there.URL)}
	for _, c := range heard {
		if st := <-c; st.Status != StatusPending {
			t.Errorf("first event: %+v", st)
		}
	}
	done := start(p)
	<-reached
	for _, c := range heard {
		hear(t, c, "the seed runs", func(st State) bool { return st.Status == StatusRunning && st.Stage == "seed" })
	}
	open <- nil
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, c := range heard {
		hear(t, c, "initialised", func(st State) bool { return st.Status == StatusInitialised })
	}
}

func hear(t testing.TB, c <-chan State, what string, ok func(State) bool) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case st := <-c:
			if ok(st) {
				return
			}
		case <-limit:
			t.Fatalf("no event: %s", what)
		}
	}
}

func listen(t testing.TB, url string) chan State {
	t.Helper()
	ctx, cancel := context.WithCancel(bg)
	res, err := http.DefaultClient.Do(must(http.NewRequestWithContext(ctx, "GET", url+api+"/events", nil)))
	if err != nil {
		t.Fatal(err)
	}
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("Content-Type %q", kind)
	}
	out, done := make(chan State, 100), make(chan struct{})
	t.Cleanup(func() { cancel(); <-done; res.Body.Close() })
	go func() {
		defer close(done)
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			if data, ok := strings.CutPrefix(scan.Text(), "data: "); ok {
				var st State
				if err := json.Unmarshal([]byte(data), &st); err != nil {
					t.Error(err)
				}
				out <- st
			}
		}
	}()
	return out
}

// TestPageWithoutScript works the page as a browser without JavaScript does.
func TestPageWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, reached, open := gate()
	p := w.pipeline(content(f))
	s := serve(t, p)
	page, form := s.URL+api+"/page", []string{"Content-Type", "application/x-www-form-urlencoded"}
	if r := ask(t, "GET", page, ""); r.status != 200 || !strings.Contains(r.text, English.Pending) || strings.Contains(r.text, "http-equiv") ||
		!strings.Contains(r.head.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %s", r.status, r.text)
	}
	r := ask(t, "POST", page, "csrf=", form...)
	if r.status != 303 || r.head.Get("Location") != api+"/page?notice=begun" {
		t.Fatalf("%d %v", r.status, r.head)
	}
	<-reached
	r = ask(t, "GET", s.URL+r.head.Get("Location"), "")
	for _, words := range []string{English.Begun, "In progress: stage 2 of 3, Seed courses.", `<noscript><meta http-equiv="refresh"`, `aria-disabled="true"`} {
		if !strings.Contains(r.text, words) {
			t.Errorf("no %q in %s", words, r.text)
		}
	}
	if r := ask(t, "POST", page, "", form...); r.status != 409 || !strings.Contains(r.text, English.InProgress) {
		t.Errorf("%d %s", r.status, r.text)
	}
	open <- errors.New("no <b>chalk</b>")
	within(t, 30*time.Second, "the run ends", func() bool { return status(t, p).Status == StatusFailed })
	r = ask(t, "GET", page, "")
	for _, words := range []string{`Stage “Seed courses” failed: no &lt;b&gt;chalk&lt;/b&gt;. No change of this stage was completed. Retry after fixing the cause.`, "failed, rolled back"} {
		if !strings.Contains(r.text, words) {
			t.Errorf("no %q in %s", words, r.text)
		}
	}
	open <- nil
	ask(t, "POST", page, "dry_run=1", form...)
	open <- nil
	if r := ask(t, "POST", page, "", form...); r.status != 303 {
		t.Errorf("%d %s", r.status, r.text)
	}
	within(t, 30*time.Second, "the run ends", func() bool { return status(t, p).Status == StatusInitialised })
	within(t, 30*time.Second, "a click with nothing to do is told so", func() bool {
		return ask(t, "POST", page, "", form...).head.Get("Location") == api+"/page?notice=unchanged"
	})
	if r := ask(t, "GET", page+"?notice="+url.QueryEscape("<script>"), ""); strings.Contains(r.text, "<script>&") || r.status != 200 {
		t.Errorf("%d %s", r.status, r.text)
	}
}

func TestTranslated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pipeline(content(nil))
	text := Text{Lang: "he", Dir: "rtl", Title: "אתחול", Pending: "ממתין", StageOutcomes: map[StageOutcome]string{Pending: "בהמתנה"}}
	s := serve(t, p, func(c *HandlerConfig) { c.Text = text })
	r := ask(t, "GET", s.URL+api+"/page", "")
	for _, words := range []string{`<html lang="he" dir="rtl">`, "<h1>אתחול</h1>", "ממתין", "בהמתנה", English.NoHistory} {
		if !strings.Contains(r.text, words) {
			t.Errorf("no %q in %s", words, r.text)
		}
	}
	if _, err := (Text{RunningStage: "%[3]s: %[1]d/%[2]d"}).filled(); err != nil {
		t.Error(err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, reached, _ := gate()
	p := w.pipeline(content(f))
	done := start(p)
	<-reached
	ctx, cancel := context.WithTimeout(bg, 50*time.Millisecond)
	defer cancel()
	p.Close(ctx)
	if err := <-done; !errors.Is(err, ErrClosed) || !errors.Is(err, ErrCancelled) {
		t.Errorf("error %v", err)
	}
	if o, stages := w.recorded(); o != Cancelled || !strings.Contains(stages, "seed rolled-back") {
		t.Errorf("recorded %s: %s", o, stages)
	}
	if _, err := p.Run(bg, Request{}); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
	w.free()
}
