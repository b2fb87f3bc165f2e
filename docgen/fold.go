package docgen

import (
	"slices"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// eitherTx is the handle of a transaction that is the caller's where there is
// one; What holds the condition for that.
const eitherTx = "either"

// fold rewrites the steps of a path so that what stands there twice is told
// once: a helper that begins a transaction, or works in the caller's, does the
// same in both. In says that a transaction is open around the steps.
func (b *book) fold(steps []lockgraph.Step, in bool) []lockgraph.Step {
	var out []lockgraph.Step
	for _, s := range steps {
		s.Steps = b.fold(s.Steps, in || s.Do == "tx")
		s.Arms = slices.Clone(s.Arms)
		for j := range s.Arms {
			s.Arms[j].Steps = b.fold(s.Arms[j].Steps, in)
		}
		if tx, ok := b.oneOfTwo(&s, in); ok {
			s = tx
		}
		s = *oneSometimes(&s)
		// The caller's transaction stays the same one.
		if n := len(out); n > 0 && s.Do == "tx" && s.Handle == "caller" && out[n-1].Do == "tx" && out[n-1].Handle == "caller" && out[n-1].What == s.What {
			out[n-1].Steps = append(slices.Clone(out[n-1].Steps), s.Steps...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// oneSometimes returns the last of branches within each other that do all they
// do in some cases: it says as much.
func oneSometimes(s *lockgraph.Step) *lockgraph.Step {
	for {
		does, ok := sometimes(s)
		if !ok || len(does) != 1 {
			return s
		}
		if _, ok := sometimes(&does[0]); !ok {
			return s
		}
		s = &does[0]
	}
}

// sometimes returns what a branch does in some cases, of which no condition
// tells, and otherwise nothing.
func sometimes(s *lockgraph.Step) ([]lockgraph.Step, bool) {
	var does []lockgraph.Step
	for _, a := range s.Arms {
		if len(a.Steps) == 0 {
			continue
		}
		if does != nil || when(a.When) != "" {
			return nil, false
		}
		does = a.Steps
	}
	return does, does != nil && len(s.Arms) > 1
}

// alone is the condition of statements that run by themselves on one way and
// in the caller's transaction on another.
const alone = "in a transaction of its own"

// orNone says of the caller's transaction that there may be none; another
// text is the condition for that.
const orNone = "or none"

// noTransaction reports whether steps lock, and all outside a transaction.
func noTransaction(steps []lockgraph.Step) bool {
	locks, tx := false, false
	eachStep(steps, func(s *lockgraph.Step) {
		locks = locks || s.Do == "lock"
		tx = tx || s.Do == "tx"
	})
	return locks && !tx
}

// oneOfTwo reads a branch of which one arm does in a transaction of its own
// what the other does in the caller's, as one transaction.
func (b *book) oneOfTwo(s *lockgraph.Step, in bool) (lockgraph.Step, bool) {
	if s.Do != "branch" || len(s.Arms) != 2 {
		return lockgraph.Step{}, false
	}
	for i, a := range s.Arms {
		other := s.Arms[1-i]
		if !in && len(a.Steps) > 0 && noTransaction(a.Steps) && allInCaller(other.Steps) && slices.Equal(b.shareKeys(a.Steps), b.shareKeys(other.Steps)) {
			why := when(a.When)
			if a.When == alone || why == "" || why == "otherwise" || strings.HasSuffix(why, " runs") {
				why = orNone
			}
			return lockgraph.Step{Do: "tx", Handle: "caller", What: why, Steps: a.Steps}, true
		}
		if len(a.Steps) != 1 || a.Steps[0].Do != "tx" || a.Steps[0].Handle == "caller" || a.Steps[0].Handle == "savepoint" ||
			len(other.Steps) == 0 || !in && !allInCaller(other.Steps) || !slices.Equal(b.shareKeys(a.Steps[0].Steps), b.shareKeys(other.Steps)) {
			continue
		}
		tx := a.Steps[0]
		tx.Handle, tx.What = eitherTx, when(other.When)
		return tx, true
	}
	return lockgraph.Step{}, false
}

// A routineUse is one way in which paths use an SQL function.
type routineUse struct {
	steps []lockgraph.Step
	by    []string // the Go functions that run it
	times int
	size  int // of the keys
}

// findRoutines finds the SQL functions that lock more than one thing, so that
// it is told once: for each function what it most often takes, without what
// its callers may put around it. Functions that are paths themselves are told
// already.
func (b *book) findRoutines() []lockgraph.Path {
	uses := map[string]map[string]*routineUse{}
	told := map[string]bool{}
	for i, p := range b.m.Paths {
		told[lastWord(p.Entry)] = true
		b.useRoutines(uses, p.Entry, b.trees[i])
	}
	var out []lockgraph.Path
	for _, name := range sortedKeys(uses) {
		var best *routineUse
		for _, key := range sortedKeys(uses[name]) {
			u := uses[name][key]
			if best == nil || u.times > best.times || u.times == best.times && u.size < best.size {
				best = u
			}
		}
		if !told[name] {
			out = append(out, lockgraph.Path{Entry: name, ReachedBy: best.by, Group: sqlFunctions, Steps: best.steps})
		}
	}
	return out
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// useRoutines notes each run of steps that lock within one SQL function.
func (b *book) useRoutines(uses map[string]map[string]*routineUse, entry string, steps []lockgraph.Step) {
	for i := 0; i < len(steps); {
		name := b.routine(&steps[i])
		n := 1
		for name != "" && i+n < len(steps) && b.routine(&steps[i+n]) == name {
			n++
		}
		run := steps[i : i+n]
		i += n
		if len(run) == 1 && (name == "" || run[0].Do == "branch") { // a choice of the caller may lie around the function
			b.useRoutines(uses, entry, run[0].Steps)
			for _, a := range run[0].Arms {
				b.useRoutines(uses, entry, a.Steps)
			}
		}
		if name == "" || classesIn(run) < 2 {
			continue // one lock is as short as a reference to it
		}
		s := b.sequence(name, run)
		if uses[name] == nil {
			uses[name] = map[string]*routineUse{}
		}
		key := strings.Join(s.keys, "")
		u := uses[name][key]
		if u == nil {
			u = &routineUse{steps: within(name, run, map[string]bool{}), size: s.size}
			uses[name][key] = u
		}
		u.times++
		u.by = once(u.by, b.runnerOf(name, entry, run))
	}
}

// routine is the outermost SQL function in which all locks of a step are
// taken, "" when there is none. A loop over something that has a name is Go's.
func (b *book) routine(s *lockgraph.Step) string {
	if s.Do == "tx" || s.Do == "external" || s.Do == "loop" && s.Over != "" {
		return ""
	}
	name, all := "", true
	eachLock([]lockgraph.Step{*s}, func(l *lockgraph.Step) {
		i := slices.IndexFunc(l.By, func(n string) bool { return b.sqlfunc[n] })
		if i < 0 || name != "" && l.By[i] != name {
			all = false
			return
		}
		name = l.By[i]
	})
	if !all {
		return ""
	}
	return name
}

// classesIn counts the classes that steps lock.
func classesIn(steps []lockgraph.Step) int {
	seen := map[string]bool{}
	eachLock(steps, func(s *lockgraph.Step) { seen[s.Class] = true })
	return len(seen)
}

// runnerOf is the Go function that runs the statement with an SQL function.
func (b *book) runnerOf(routine, entry string, steps []lockgraph.Step) string {
	by := ""
	eachLock(steps, func(s *lockgraph.Step) {
		for i := slices.Index(s.By, routine) - 1; i >= 0 && by == ""; i-- {
			if !b.queries[lastName(s.By[i])] {
				by = s.By[i]
			}
		}
	})
	if by == "" {
		return entry
	}
	return by
}

// within is what steps lock as the SQL function itself sees it: nothing is
// held before, and nothing stands around it.
func within(routine string, steps []lockgraph.Step, seen map[string]bool) []lockgraph.Step {
	out := slices.Clone(steps)
	for i := range out {
		s := &out[i]
		if s.Do == "lock" {
			s.By = s.By[slices.Index(s.By, routine):]
			if !seen[s.Class] {
				s.Again = "no"
				seen[s.Class] = true
			}
		}
		s.Steps = within(routine, s.Steps, seen)
		s.Arms = slices.Clone(s.Arms)
		for j := range s.Arms {
			s.Arms[j].Steps = within(routine, s.Arms[j].Steps, seen)
		}
	}
	return out
}
