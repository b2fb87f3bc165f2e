package initpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A HandlerConfig says how a pipeline is served. Authenticate and CSRF are
// decisions that Handler does not make for its caller: where nothing is
// needed, say so with Anonymous and NoCSRF.
type HandlerConfig struct {
	// Authenticate returns who sends a request, for the history. An error is
	// answered with 401, or with 403 when it is ErrForbidden.
	Authenticate func(*http.Request) (actor string, err error)

	// CSRF protects the browsers of operators: NewCSRF, or the service's own.
	CSRF CSRF

	Path string // of the API, "/api/db/init"; the page is at Path + "/page"
	Text Text   // words of the page; the zero Text is English
}

// ErrForbidden is for an Authenticate that knows who asks, and refuses.
var ErrForbidden = errors.New("not allowed")

// Anonymous is the Authenticate of a service that lets everybody in who can
// reach it.
func Anonymous(*http.Request) (string, error) { return "", nil }

// A CSRF tells requests that the operator meant from those that another site
// made the browser send.
type CSRF interface {
	// Token returns what the page sends back, and may set a cookie.
	Token(http.ResponseWriter, *http.Request) (string, error)
	// Verify returns an error when a POST is not to be trusted. The token is
	// in the header X-CSRF-Token or in the form field "csrf".
	Verify(r *http.Request, token string) error
}

type handler struct {
	p    *Pipeline
	cfg  HandlerConfig
	page *pageTemplate
}

// Handler serves a pipeline:
//
//	POST Path         runs it: 200, or 409 INIT_IN_PROGRESS; problem details otherwise
//	GET  Path         its State as JSON
//	GET  Path/events  its State whenever it changes, as server-sent events
//	GET  Path/page    the page of the operator, which posts there
//
// A POST has no body or the JSON object {"from": STAGE, "dry_run": BOOL}. It
// is answered when the run has ended, or with "Prefer: respond-async" when it
// has begun (202). A run goes on when its client leaves; Config.RunTimeout
// ends it.
func (p *Pipeline) Handler(cfg HandlerConfig) (http.Handler, error) {
	cfg.Path = strings.TrimSuffix(cmp.Or(cfg.Path, "/api/db/init"), "/")
	switch {
	case cfg.Authenticate == nil:
		return nil, errors.New("initpipe: HandlerConfig.Authenticate is not decided; Anonymous lets everybody in")
	case cfg.CSRF == nil:
		return nil, errors.New("initpipe: HandlerConfig.CSRF is not decided; NewCSRF protects browsers, NoCSRF is for clients that are none")
	case !strings.HasPrefix(cfg.Path, "/") || strings.ContainsAny(cfg.Path, "{} "):
		return nil, fmt.Errorf("initpipe: path %q of the handler", cfg.Path)
	}
	page, err := newPage(cfg.Text)
	if err != nil {
		return nil, fmt.Errorf("initpipe: %w", err)
	}
	h := &handler{p: p, cfg: cfg, page: page}
	mux := http.NewServeMux()
	for _, route := range []struct {
		path    string
		methods map[string]func(http.ResponseWriter, *http.Request, string)
	}{
		{"", map[string]func(http.ResponseWriter, *http.Request, string){"GET": h.getState, "POST": h.post}},
		{"/events", map[string]func(http.ResponseWriter, *http.Request, string){"GET": h.events}},
		{"/page", map[string]func(http.ResponseWriter, *http.Request, string){"GET": h.getPage, "POST": h.postPage}},
		{"/page.css", map[string]func(http.ResponseWriter, *http.Request, string){"GET": h.asset("page.css", "text/css; charset=utf-8")}},
		{"/page.js", map[string]func(http.ResponseWriter, *http.Request, string){"GET": h.asset("page.js", "text/javascript; charset=utf-8")}},
	} {
		mux.Handle(cfg.Path+route.path, h.guard(route.methods))
	}
	return mux, nil
}

// guard checks method and caller, in this order.
func (h *handler) guard(methods map[string]func(http.ResponseWriter, *http.Request, string)) http.Handler {
	allow := "GET, HEAD"
	if methods["POST"] != nil {
		allow += ", POST"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Cache-Control", "no-store")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin")
		serve := methods[r.Method]
		if r.Method == http.MethodHead {
			serve = methods[http.MethodGet]
		}
		if serve == nil {
			head.Set("Allow", allow)
			h.problem(w, problem{Status: http.StatusMethodNotAllowed, Code: "METHOD_NOT_ALLOWED", Detail: r.Method + " is not one of " + allow})
			return
		}
		actor, err := h.cfg.Authenticate(r)
		switch {
		case errors.Is(err, ErrForbidden):
			h.problem(w, problem{Status: http.StatusForbidden, Code: "FORBIDDEN", Detail: err.Error()})
		case err != nil:
			h.problem(w, problem{Status: http.StatusUnauthorized, Code: "UNAUTHENTICATED", Detail: err.Error()})
		default:
			serve(w, r, actor)
		}
	})
}

func (h *handler) getState(w http.ResponseWriter, r *http.Request, _ string) {
	st, err := h.p.recent(r.Context())
	if err != nil {
		h.problem(w, problemOf(err))
		return
	}
	writeJSON(w, http.StatusOK, "application/json", st)
}

// An answer is the body of a POST that ran.
type answer struct {
	Code   string  `json:"code"` // INITIALISED, ALREADY_INITIALISED, DRY_RUN
	Report *Report `json:"report"`
}

func (h *handler) post(w http.ResponseWriter, r *http.Request, actor string) {
	if err := h.cfg.CSRF.Verify(r, r.Header.Get("X-CSRF-Token")); err != nil {
		h.problem(w, csrfProblem(err))
		return
	}
	req, bad := readRequest(w, r)
	if bad != nil {
		h.problem(w, *bad)
		return
	}
	req.Actor = actor
	done, err := h.launch(r.Context(), req)
	if err != nil {
		h.problem(w, problemOf(err))
		return
	}
	if prefersAsync(r) {
		w.Header().Set("Location", h.cfg.Path)
		w.Header().Set("Preference-Applied", "respond-async")
		writeJSON(w, http.StatusAccepted, "application/json", map[string]string{"code": "INIT_STARTED"})
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a run may outlast the server's timeout; not every writer has one
	select {
	case end := <-done:
		if end.err != nil {
			pr := problemOf(end.err)
			pr.Report = end.report
			h.problem(w, pr)
			return
		}
		writeJSON(w, http.StatusOK, "application/json", answer{code(end.report.Outcome), end.report})
	case <-r.Context().Done(): // the client is gone; the run is not
	}
}

func code(o Outcome) string {
	switch o {
	case Unchanged:
		return "ALREADY_INITIALISED"
	case DryRun:
		return "DRY_RUN"
	}
	return "INITIALISED"
}

func prefersAsync(r *http.Request) bool {
	for _, v := range r.Header.Values("Prefer") {
		for word := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(word), "respond-async") {
				return true
			}
		}
	}
	return false
}

type ending struct {
	report *Report
	err    error
}

// launch begins a run. A client that leaves stops neither that nor the run:
// of two clicks, a browser without script gives up the first and shows the
// answer to the second. A panic of a stage ends the run, not the program.
func (h *handler) launch(ctx context.Context, req Request) (<-chan ending, error) {
	ctx = context.WithoutCancel(ctx)
	run, err := h.p.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	done := make(chan ending, 1)
	go func() {
		//pglockdep:ignore unordered-lock-loop one run at a time writes these rows: the one that holds the pipeline's lock
		rep, err := run.finish(ctx)
		done <- ending{rep, err}
	}()
	return done, nil
}

// events sends the state when it changes, until the client leaves.
func (h *handler) events(w http.ResponseWriter, r *http.Request, _ string) {
	ctl := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return
	}
	html := r.URL.Query().Has("page")
	var last string
	quiet := time.Now()
	for {
		changed := h.p.watch()
		text, running := h.eventText(r.Context(), html)
		if r.Context().Err() != nil {
			return
		}
		out := ""
		switch {
		case text != last:
			out = "event: state\ndata: " + text + "\n\n"
		case time.Since(quiet) > 15*time.Second:
			out = ": still here\n\n" // proxies close what is silent
		}
		if out != "" {
			_ = ctl.SetWriteDeadline(time.Now().Add(10 * time.Second)) // not every writer has one
			if _, err := w.Write([]byte(out)); err != nil || ctl.Flush() != nil {
				return
			}
			last, quiet = text, time.Now()
		}
		pause := 2 * time.Second
		if running {
			pause = 500 * time.Millisecond
		}
		tick := time.NewTimer(pause)
		select {
		case <-changed:
			tick.Reset(50 * time.Millisecond) // many changes, one event
			select {
			case <-tick.C:
			case <-r.Context().Done():
			}
		case <-tick.C:
		case <-r.Context().Done():
		case <-h.p.closing.Done():
			return
		}
		tick.Stop()
	}
}

// eventText is the data of one event: the state, or what the page shows of it.
func (h *handler) eventText(ctx context.Context, html bool) (text string, running bool) {
	st, err := h.p.recent(ctx)
	if html {
		return jsonText(h.page.live(st, err)), st != nil && st.Status == StatusRunning
	}
	if err != nil {
		return jsonText(problemOf(err)), false
	}
	still := *st
	still.Now = time.Time{} // the same state is the same text
	return jsonText(still), st.Status == StatusRunning
}
