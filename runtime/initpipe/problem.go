package initpipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/pglockdep/pglockdep/runtime/locks"
)

// A problem is an answer by RFC 9457, with members of our own.
type problem struct {
	Type       string       `json:"type"`
	Title      string       `json:"title"`
	Status     int          `json:"status"`
	Detail     string       `json:"detail"`
	Code       string       `json:"code"`
	Holder     *Holder      `json:"holder,omitempty"`
	Stage      string       `json:"stage,omitempty"`
	Since      time.Time    `json:"since,omitzero"`
	RetryAfter int          `json:"retry_after,omitempty"` // seconds
	Step       string       `json:"step,omitempty"`
	SQLState   string       `json:"sqlstate,omitempty"`
	Remains    StageOutcome `json:"stage_outcome,omitempty"`
	Report     *Report      `json:"report,omitempty"`
}

func (h *handler) problem(w http.ResponseWriter, p problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	writeJSON(w, p.Status, "application/problem+json", p)
}

// problemOf sorts the errors of a pipeline.
func problemOf(err error) problem {
	p := problem{Status: http.StatusInternalServerError, Code: "INTERNAL", Detail: err.Error()}
	var busy *InProgressError
	var stage *StageError
	switch {
	case errors.As(err, &busy):
		p.Status, p.Code, p.RetryAfter = http.StatusConflict, "INIT_IN_PROGRESS", int((busy.Retry+time.Second-1)/time.Second)
		p.Holder, p.Stage, p.Since = &busy.Holder, busy.Stage, busy.Since
	case errors.As(err, &stage):
		p.Code, p.Stage, p.Step, p.SQLState, p.Remains = "STAGE_FAILED", stage.Stage, stage.Step, stage.SQLState, stage.Outcome
		if errors.Is(err, ErrCancelled) {
			p.Code = "RUN_CANCELLED"
		}
	case errors.Is(err, ErrCancelled):
		p.Code = "RUN_CANCELLED"
	case errors.Is(err, ErrVersion):
		p.Status, p.Code = http.StatusUnprocessableEntity, "VERSION_BACKWARDS"
	case errors.Is(err, ErrFrom):
		p.Status, p.Code = http.StatusUnprocessableEntity, "CANNOT_START_THERE"
	case errors.Is(err, ErrHistory):
		p.Code = "HISTORY_UNUSABLE"
	case errors.Is(err, locks.ErrPooled):
		p.Code = "POOLER_REFUSED"
	case errors.Is(err, locks.ErrReadOnly):
		p.Status, p.Code, p.RetryAfter = http.StatusServiceUnavailable, "DATABASE_READ_ONLY", 10
	case errors.Is(err, ErrUnreachable):
		p.Status, p.Code, p.RetryAfter = http.StatusServiceUnavailable, "DATABASE_UNREACHABLE", 5
	case errors.Is(err, ErrClosed):
		p.Status, p.Code, p.RetryAfter = http.StatusServiceUnavailable, "SHUTTING_DOWN", 5
	}
	return p
}

func csrfProblem(err error) problem {
	return problem{Status: http.StatusForbidden, Code: "CSRF", Detail: err.Error()}
}

const maxBody = 4 << 10

// readRequest reads the body of a POST, which may be empty.
func readRequest(w http.ResponseWriter, r *http.Request) (req Request, bad *problem) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return req, &problem{Status: http.StatusRequestEntityTooLarge, Code: "BODY_TOO_LARGE", Detail: fmt.Sprintf("the body is longer than %d bytes", maxBody)}
	case err != nil:
		return req, &problem{Status: http.StatusBadRequest, Code: "BAD_BODY", Detail: err.Error()}
	case len(body) == 0:
		return req, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return req, &problem{Status: http.StatusUnsupportedMediaType, Code: "NOT_JSON", Detail: "a body is application/json; the page's form is posted to the page"}
	}
	var in struct {
		From   string `json:"from"`
		DryRun bool   `json:"dry_run"`
	}
	if err := strictJSON(body, &in); err != nil {
		return req, &problem{Status: http.StatusBadRequest, Code: "BAD_BODY", Detail: err.Error()}
	}
	return Request{From: in.From, DryRun: in.DryRun}, nil
}

func writeJSON(w http.ResponseWriter, status int, kind string, v any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // the client is gone
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // types of this package alone
	}
	return string(b)
}

// strictJSON reads one JSON object and nothing else.
func strictJSON(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the JSON object")
	}
	return nil
}
