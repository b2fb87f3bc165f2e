package history

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
)

// An action is what happened to the lock of one key.
type action struct {
	key   int
	kind  kind
	token int64
}

type kind uint8

const (
	grant   kind = iota // a lock was acquired and drew token
	free                // the lock of token ended: released, lost or destroyed
	wrote               // a write verified token and was committed
	refused             // a write with token was refused
	maybe               // an acquire failed and may have drawn a token
)

var kinds = [...]string{"grant", "free", "wrote", "refused", "maybe drew"}

func (a action) String() string { return fmt.Sprintf("key %d: %s %d", a.key, kinds[a.kind], a.token) }

// A state is one key's lock and fence, as PostgreSQL has them.
type state struct {
	holder int64 // token of the owner, 0 for none
	last   int64 // the last token that is known
	unseen unseen
}

// unseen says whether a token after last was drawn that nobody knows.
type unseen uint8

const (
	no unseen = iota
	perhaps
	yes
)

// step says whether an action can happen in a state, and what state follows.
// Whether a failed acquire drew a token is decided by what is seen next.
func step(s state, a action) (bool, state) {
	switch a.kind {
	case grant:
		if s.holder != 0 || a.token <= s.last {
			return false, s
		}
		return true, state{holder: a.token, last: a.token}
	case free:
		ok := s.holder == a.token
		s.holder = 0
		return ok, s
	case wrote:
		if a.token != s.last || s.unseen == yes {
			return false, s
		}
		s.unseen = no
		return true, s
	case refused:
		if a.token == s.last {
			if s.unseen == no {
				return false, s
			}
			s.unseen = yes
		}
		return true, s
	default:
		if s.unseen == no {
			s.unseen = perhaps
		}
		return true, s
	}
}

var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(s, in, _ any) (bool, any) {
		ok, next := step(s.(state), in.(action))
		return ok, next
	},
	Partition: func(h []porcupine.Operation) [][]porcupine.Operation {
		var out [][]porcupine.Operation
		for _, o := range h {
			k := o.Input.(action).key
			for len(out) <= k {
				out = append(out, nil)
			}
			out[k] = append(out[k], o)
		}
		return out
	},
	DescribeOperation: func(in, _ any) string { return in.(action).String() },
}

// The checker must see what it is there for.
func TestModel(t *testing.T) {
	op := func(k kind, token, call, ret int64) porcupine.Operation {
		return porcupine.Operation{Input: action{0, k, token}, Call: call, Return: ret}
	}
	for _, c := range []struct {
		name string
		want bool
		ops  []porcupine.Operation
	}{
		{"one after another", true, []porcupine.Operation{op(grant, 1, 0, 1), op(wrote, 1, 2, 3), op(free, 1, 4, 5), op(grant, 2, 6, 7), op(refused, 1, 8, 9)}},
		{"two owners", false, []porcupine.Operation{op(grant, 1, 0, 1), op(grant, 2, 2, 3), op(free, 1, 4, 5)}},
		{"the end and the next grant at a time", true, []porcupine.Operation{op(grant, 1, 0, 1), op(free, 1, 2, 9), op(grant, 2, 3, 4)}},
		{"a token twice", false, []porcupine.Operation{op(grant, 1, 0, 1), op(free, 1, 2, 3), op(grant, 1, 4, 5)}},
		{"an old write committed", false, []porcupine.Operation{op(grant, 1, 0, 1), op(free, 1, 2, 3), op(grant, 2, 4, 5), op(wrote, 1, 6, 7)}},
		{"a valid write refused", false, []porcupine.Operation{op(grant, 1, 0, 1), op(refused, 1, 2, 3)}},
		{"refused after a token that nobody knows", true, []porcupine.Operation{op(grant, 1, 0, 1), op(free, 1, 2, 3), op(maybe, 0, 4, 5), op(refused, 1, 6, 7)}},
		{"refused, then committed", false, []porcupine.Operation{op(grant, 1, 0, 1), op(free, 1, 2, 3), op(maybe, 0, 4, 5), op(refused, 1, 6, 7), op(wrote, 1, 8, 9)}},
	} {
		if got := porcupine.CheckOperations(model, c.ops); got != c.want {
			t.Errorf("%s: linearizable is %v", c.name, got)
		}
	}
}
