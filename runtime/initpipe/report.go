package initpipe

import (
	"slices"
	"time"
)

// An Outcome is how a run stands.
type Outcome string

// The outcomes of runs.
const (
	Running   Outcome = "running"
	Succeeded Outcome = "succeeded"
	Unchanged Outcome = "unchanged" // every stage had run before; nothing was written
	DryRun    Outcome = "dry-run"   // went through and was rolled back
	Failed    Outcome = "failed"
	Cancelled Outcome = "cancelled"
	Abandoned Outcome = "abandoned" // its owner died; the next owner says so
)

// A StageOutcome is how a stage stands.
type StageOutcome string

// The outcomes of stages.
const (
	Pending      StageOutcome = "pending" // of a run that goes on, or none yet
	StageRunning StageOutcome = "running"
	Done         StageOutcome = "done"
	UpToDate     StageOutcome = "up-to-date"  // has run at this version before
	RolledBack   StageOutcome = "rolled-back" // failed, and nothing of it remains
	Partial      StageOutcome = "partial"     // failed outside of a transaction: what it did before stays
	InDoubt      StageOutcome = "in-doubt"    // the server did not confirm the commit; the next run finds out
	NotRun       StageOutcome = "not-run"     // one before it failed
	Untried      StageOutcome = "untried"     // a dry run leaves out what runs outside of a transaction
)

func (o StageOutcome) words() string {
	switch o {
	case RolledBack:
		return "rolled back"
	case Partial:
		return "it ran outside of a transaction: what it did before stays"
	case Done:
		return "its changes are kept, the run stopped there"
	case InDoubt:
		return "the commit was not confirmed; the next run finds out"
	}
	return string(o)
}

// A Report is one run.
type Report struct {
	Run       int64         `json:"run,omitempty"` // 0: not recorded
	Outcome   Outcome       `json:"outcome"`
	Owner     string        `json:"owner"`
	Actor     string        `json:"actor,omitempty"`
	Started   time.Time     `json:"started"`
	Ended     time.Time     `json:"ended,omitzero"`
	Stages    []StageReport `json:"stages,omitempty"`
	Error     string        `json:"error,omitempty"`
	Warning   string        `json:"warning,omitempty"`   // the unlock was not confirmed: check the state before another run
	Abandoned []int64       `json:"abandoned,omitempty"` // runs before it whose owner had died
}

// Took returns how long the run took, or runs by now.
func (r Report) Took(now time.Time) time.Duration {
	if !r.Ended.IsZero() {
		now = r.Ended
	}
	return max(now.Sub(r.Started), 0)
}

// A StageReport is one stage of a run.
type StageReport struct {
	Name     string       `json:"name"`
	Title    string       `json:"title,omitempty"`
	Version  int          `json:"version"`
	Outside  bool         `json:"outside,omitempty"` // no transaction
	Outcome  StageOutcome `json:"outcome"`
	Started  time.Time    `json:"started,omitzero"`
	Ended    time.Time    `json:"ended,omitzero"`
	Done     int64        `json:"done,omitempty"`
	Total    int64        `json:"total,omitempty"`
	Step     string       `json:"step,omitempty"`
	Error    string       `json:"error,omitempty"`
	SQLState string       `json:"sqlstate,omitempty"`
}

func (r Report) clone() *Report {
	r.Stages, r.Abandoned = slices.Clone(r.Stages), slices.Clone(r.Abandoned)
	return &r
}

// current returns the stage that runs, "" for none.
func (r Report) current() string {
	for _, s := range r.Stages {
		if s.Outcome == StageRunning {
			return s.Name
		}
	}
	return ""
}
