package initpipe

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"
)

//go:embed page.html page.css page.js
var assets embed.FS

// A pageTemplate renders the page of the operator in one language. All words
// come from here: the script only puts them into place.
type pageTemplate struct {
	text Text
	t    *template.Template
}

func newPage(text Text) (*pageTemplate, error) {
	text, err := text.filled()
	if err != nil {
		return nil, err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"at":      func(t time.Time) string { return t.UTC().Format(text.TimeFormat) },
		"machine": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"took":    func(from, to time.Time) string { return took(to.Sub(from)) },
		"known":   func(t time.Time) bool { return !t.IsZero() },
		"format":  fmt.Sprintf,
		"plain":   plain,
	}).ParseFS(assets, "page.html")
	if err != nil {
		return nil, err
	}
	return &pageTemplate{text: text, t: t}, nil
}

func plain(message string) string { return strings.TrimPrefix(message, "initpipe: ") }

func took(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// A liveView is what changes on the page.
type liveView struct {
	Status  string `json:"status"`
	Notice  string `json:"notice,omitempty"`
	Alert   string `json:"alert"`
	Running bool   `json:"running"`
	Refused bool   `json:"refused"` // of an answer: another run has the lock
	HTML    string `json:"html"`
}

// live says in words how the pipeline stands.
func (p *pageTemplate) live(st *State, err error) liveView {
	if err != nil {
		return liveView{Alert: p.failure(err), HTML: ""}
	}
	v := liveView{Status: p.status(st), Alert: p.alert(st), Running: st.Status == StatusRunning}
	var b bytes.Buffer
	if err := p.t.ExecuteTemplate(&b, "live", map[string]any{"Text": p.text, "State": st}); err != nil {
		panic(err) // the template is embedded, and its data are types of this package
	}
	v.HTML = b.String()
	return v
}

func (p *pageTemplate) status(st *State) string {
	t := p.text
	switch st.Status {
	case StatusInitialised:
		return t.Initialised
	case StatusFailed:
		return t.Failed
	case StatusInterrupted:
		return t.Interrupted
	case StatusOutdated:
		return t.Outdated
	case StatusPending:
		return t.Pending
	}
	words := t.Running
	for i, s := range st.Stages {
		if s.Name == st.Stage {
			words = fmt.Sprintf(t.RunningStage, i+1, len(st.Stages), s.Title)
		}
	}
	who := ""
	if h := st.Holder; h != nil {
		who = strings.TrimSpace(h.Actor + " " + parens(h.Owner))
	}
	if who != "" && !st.Since.IsZero() {
		words += " " + fmt.Sprintf(t.RunningBy, who, st.Since.UTC().Format(t.TimeFormat))
	}
	return words
}

func parens(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// alert says what somebody should look at.
func (p *pageTemplate) alert(st *State) string {
	t := p.text
	var say []string
	if st.Warning != "" {
		say = append(say, t.CheckState)
	}
	if st.Problem != "" {
		say = append(say, fmt.Sprintf(t.HistoryProblem, st.Problem))
	}
	if st.Status == StatusFailed {
		say = append(say, p.failed(st.Stages)...)
	}
	return strings.Join(say, " ")
}

func (p *pageTemplate) failed(stages []StageReport) []string {
	t := p.text
	remains := map[StageOutcome]string{RolledBack: t.NothingRemains, Partial: t.PartRemains, InDoubt: t.CommitInDoubt, Done: t.Kept}
	for _, s := range stages {
		if words, ok := remains[s.Outcome]; ok && s.Error != "" {
			return []string{fmt.Sprintf(t.StageFailed, s.Title, s.Error), words, t.FixAndRetry}
		}
	}
	return nil
}

// failure says why nothing was begun, or how a trial ended.
func (p *pageTemplate) failure(err error) string {
	t := p.text
	var stage *StageError
	switch {
	case errors.As(err, &stage):
		return strings.Join([]string{fmt.Sprintf(t.StageFailed, stage.Stage, stage.Err), t.FixAndRetry}, " ")
	case errors.Is(err, ErrUnreachable):
		return t.Unreachable
	}
	return fmt.Sprintf(t.Refused, plain(err.Error()))
}

// notices are what a redirect may say.
func (p *pageTemplate) notice(code string) string {
	return map[string]string{"begun": p.text.Begun, "unchanged": p.text.Unchanged, "dry-run": p.text.DryRunDone}[code]
}

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (h *handler) getPage(w http.ResponseWriter, r *http.Request, _ string) {
	st, err := h.p.recent(r.Context())
	v := h.page.live(st, err)
	v.Notice = h.page.notice(r.URL.Query().Get("notice"))
	h.render(w, r, http.StatusOK, st, v)
}

func (h *handler) render(w http.ResponseWriter, r *http.Request, status int, st *State, v liveView) {
	token, err := h.cfg.CSRF.Token(w, r)
	if err != nil {
		h.problem(w, problem{Status: http.StatusInternalServerError, Code: "CSRF", Detail: err.Error()})
		return
	}
	if st == nil {
		st = &State{Pipeline: h.p.cfg.Name, Stages: h.p.merge(view{})}
	}
	var b bytes.Buffer
	err = h.page.t.ExecuteTemplate(&b, "page.html", map[string]any{
		"Text": h.page.text, "State": st, "Live": v, "HTML": template.HTML(v.HTML), "Path": h.cfg.Path, "CSRF": token,
	})
	if err != nil {
		panic(err) // as in live
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// glance is how long a click waits for the end of its run, so that what ends
// at once is told at once.
const glance = time.Second

// postPage is the page's form. The script asks for JSON and puts the words
// into the page it has.
func (h *handler) postPage(w http.ResponseWriter, r *http.Request, actor string) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		h.problem(w, problem{Status: http.StatusBadRequest, Code: "BAD_BODY", Detail: err.Error()})
		return
	}
	if err := h.cfg.CSRF.Verify(r, r.PostFormValue("csrf")); err != nil {
		h.told(w, r, http.StatusForbidden, liveView{Alert: h.page.text.CSRF})
		return
	}
	req := Request{Actor: actor, From: r.PostFormValue("from"), DryRun: r.PostFormValue("dry_run") != ""}
	done, err := h.launch(r.Context(), req)
	if err != nil {
		say := liveView{Alert: h.page.failure(err)}
		if errors.Is(err, ErrInProgress) {
			say = liveView{Notice: h.page.text.InProgress, Refused: true}
		}
		h.told(w, r, problemOf(err).Status, say)
		return
	}
	limit := glance
	if req.DryRun {
		limit = time.Hour // its outcome is nowhere but in this answer
	}
	wait := time.NewTimer(limit)
	defer wait.Stop()
	notice := "begun"
	select {
	case end := <-done:
		switch {
		case end.err != nil && req.DryRun:
			h.told(w, r, problemOf(end.err).Status, liveView{Alert: h.page.failure(end.err)})
			return
		case end.err == nil && end.report.Outcome == Unchanged:
			notice = "unchanged"
		case end.err == nil && end.report.Outcome == DryRun:
			notice = "dry-run"
		case end.err != nil:
			notice = "" // the state tells
		}
	case <-wait.C:
	case <-r.Context().Done():
		return
	}
	if wantsJSON(r) {
		h.told(w, r, http.StatusOK, liveView{Notice: h.page.notice(notice)})
		return
	}
	to := h.cfg.Path + "/page"
	if notice != "" {
		to += "?notice=" + url.QueryEscape(notice)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// told answers a click with the state and what came of it.
func (h *handler) told(w http.ResponseWriter, r *http.Request, status int, say liveView) {
	st, err := h.p.State(r.Context())
	v := h.page.live(st, err)
	v.Notice, v.Refused = say.Notice, say.Refused
	if say.Alert != "" {
		v.Alert = say.Alert
	}
	if wantsJSON(r) {
		writeJSON(w, status, "application/json", v)
		return
	}
	h.render(w, r, status, st, v)
}

func wantsJSON(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "application/json")
}

func (h *handler) asset(name, kind string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		b, err := assets.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(b)
	}
}
