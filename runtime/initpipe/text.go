package initpipe

import (
	"fmt"
	"reflect"
	"strings"
)

// Text is every word of the page. A field that is empty is English. Those with
// a verb, %s or %d, are formats; their doc says what goes in.
type Text struct {
	Lang string // of the document, "en"
	Dir  string // "ltr" or "rtl"

	Title      string
	Pipeline   string // label of the name
	Start      string
	DryRun     string
	DryRunHelp string
	From       string // label of the choice of a stage
	FromPend   string // its first choice: what has not run
	FromHelp   string
	More       string // opens the less usual choices
	Stages     string // captions and column heads
	History    string
	NoHistory  string
	Stage      string
	State      string
	Progress   string
	Took       string
	Run        string
	Started    string
	Who        string
	Where      string
	Message    string
	Version    string
	Outside    string // a stage without a transaction
	Counted    string // two numbers: done, total

	// The state, in the status region.
	Pending      string
	Running      string
	RunningStage string // number, total, title
	RunningBy    string // who, time
	Initialised  string
	Failed       string
	Interrupted  string
	Outdated     string

	// What came of a click.
	InProgress string // the answer 409
	Begun      string
	Unchanged  string
	DryRunDone string

	// Failures, in the alert region.
	StageFailed    string // title, error
	NothingRemains string
	PartRemains    string
	CommitInDoubt  string
	Kept           string
	FixAndRetry    string
	CheckState     string // the unlock was not confirmed
	Unreachable    string
	HistoryProblem string // error
	Refused        string // error
	CSRF           string
	StageOutcomes  map[StageOutcome]string
	Outcomes       map[Outcome]string
	TimeFormat     string // of package time, in UTC
}

// English is the default.
var English = Text{
	Lang: "en", Dir: "ltr",
	Title: "Database initialization", Pipeline: "Pipeline", Start: "Start initialization", DryRun: "Try without changes",
	DryRunHelp: "Runs what is pending in one transaction and rolls it back.",
	From:       "Start at", FromPend: "what has not run yet", FromHelp: "A stage runs again with all stages after it.",
	More: "More choices", Stages: "Stages", History: "History", NoHistory: "No run is recorded.",
	Stage: "Stage", State: "State", Progress: "Progress", Took: "Took", Run: "Run", Started: "Started", Who: "Asked by", Where: "Ran on",
	Message: "Message", Version: "Version", Outside: "without a transaction", Counted: "%d of %d",

	Pending:      "Not initialized yet: stages are waiting to run.",
	Running:      "In progress.",
	RunningStage: "In progress: stage %d of %d, %s.",
	RunningBy:    "Started by %s at %s.",
	Initialised:  "Initialized. Every stage has run.",
	Failed:       "The last initialization did not complete.",
	Interrupted:  "The last initialization stopped without an end: its program died. Start again; finished stages are kept.",
	Outdated:     "This program is older than the database: a newer version of a stage has run. Nothing can be started here.",

	InProgress: "Another initialization is running; retry after it finishes.",
	Begun:      "Started.",
	Unchanged:  "Nothing to do: every stage has run before.",
	DryRunDone: "The trial went through. Everything was rolled back.",

	StageFailed:    "Stage “%s” failed: %s.",
	NothingRemains: "No change of this stage was completed.",
	PartRemains:    "It ran without a transaction: what it did before the failure remains.",
	CommitInDoubt:  "Whether its changes were kept is not known yet; the next run finds out.",
	Kept:           "Its changes are kept; the run stopped there.",
	FixAndRetry:    "Retry after fixing the cause.",
	CheckState:     "The lock was not confirmed to be free. Check the state before another run.",
	Unreachable:    "The database cannot be reached.",
	HistoryProblem: "The history cannot be read: %s.",
	Refused:        "Not started: %s.",
	CSRF:           "Not started: the page is too old or the request came from elsewhere. Load the page again.",
	StageOutcomes: map[StageOutcome]string{
		Pending: "waiting", StageRunning: "running", Done: "done", UpToDate: "done before", RolledBack: "failed, rolled back",
		Partial: "failed, a part remains", InDoubt: "not known", NotRun: "not run", Untried: "left out of the trial",
	},
	Outcomes: map[Outcome]string{
		Running: "running", Succeeded: "succeeded", Unchanged: "nothing to do", DryRun: "trial", Failed: "failed", Cancelled: "cancelled", Abandoned: "abandoned",
	},
	TimeFormat: "2006-01-02 15:04:05 UTC",
}

// filled returns the text with English where it says nothing, or which of its
// formats takes other values than the English one.
func (t Text) filled() (Text, error) {
	own, english := reflect.ValueOf(&t).Elem(), reflect.ValueOf(English)
	for i := range own.NumField() {
		f, e, name := own.Field(i), english.Field(i), own.Type().Field(i).Name
		switch {
		case f.IsZero():
			f.Set(e)
		case f.Kind() == reflect.String && verbs(f.String()) != verbs(e.String()):
			return t, fmt.Errorf("Text.%s: %q does not take the values of %q", name, f.String(), e.String())
		case f.Kind() == reflect.Map:
			whole := reflect.MakeMap(f.Type())
			for _, m := range []reflect.Value{e, f} {
				for _, k := range m.MapKeys() {
					whole.SetMapIndex(k, m.MapIndex(k))
				}
			}
			f.Set(whole)
		}
	}
	return t, nil
}

// verbs are the kinds of the values of a format; explicit indexes may change
// their order.
func verbs(format string) string {
	return fmt.Sprint(countVerb(format, 's'), countVerb(format, 'd'))
}

func countVerb(format string, verb byte) int {
	n := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("[0123456789]", format[i]) >= 0 {
			i++
		}
		if i < len(format) && format[i] == verb {
			n++
		}
	}
	return n
}
