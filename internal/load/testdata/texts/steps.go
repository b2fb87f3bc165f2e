package texts

import (
	"context"
	"database/sql"
	"fmt"
)

// A Selection is a query that its steps put together.
type Selection struct {
	base, where, sort, suffix string
	skip                      bool
	args                      []any
}

func Select(base string) *Selection { return &Selection{base: base} }

func (s *Selection) Where(cond string, args ...any) *Selection {
	if cond != "" {
		s.where = fmt.Sprintf("%s AND %s", s.where, cond)
		s.args = append(s.args, args...)
	}
	return s
}

// Sort returns nothing.
func (s *Selection) Sort(by string) {
	if by != "" {
		s.sort = " ORDER BY " + by
	}
}

func (s *Selection) ForUpdate() *Selection {
	s.suffix = " FOR UPDATE"
	return s
}

// Claim takes two steps at once.
func (s *Selection) Claim() {
	s.ForUpdate()
	s.skip = true
}

// Share is a step of a copy.
func (s Selection) Share() Selection {
	s.suffix = " FOR SHARE"
	return s
}

func (s *Selection) SQL() (string, []any) {
	query := s.base
	if s.where != "" {
		query = fmt.Sprintf("%s WHERE true%s", query, s.where)
	}
	query += s.sort
	if s.suffix != "" {
		query += s.suffix
	}
	if s.skip {
		query += " SKIP LOCKED"
	}
	return query, s.args
}

// locks: row jobs FOR UPDATE wait
func Chain(ctx context.Context, tx *sql.Tx, id int64) error {
	query, args := Select("SELECT id FROM jobs").Where("id = $1", id).ForUpdate().SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// locks: row jobs FOR UPDATE wait
func Steps(ctx context.Context, tx *sql.Tx, id int64) error {
	s := Select("SELECT id FROM jobs")
	s.Where("id = $1", id)
	s.ForUpdate()
	query, args := s.SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// Reading locks nothing, though others of its kind do.
func Reading(ctx context.Context, tx *sql.Tx, id int64) error {
	s := Select("SELECT id FROM jobs")
	s.Where("id = $1", id)
	s.Sort("id")
	query, args := s.SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// ReadingInOne neither.
func ReadingInOne(ctx context.Context, tx *sql.Tx) error {
	query, args := Select("SELECT id FROM jobs").SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// locks: row jobs FOR UPDATE wait
func Perhaps(ctx context.Context, tx *sql.Tx, id int64, lock bool) error {
	s := Select("SELECT id FROM jobs").Where("id = $1", id)
	if lock {
		s.ForUpdate()
	}
	query, args := s.SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// locks: row jobs FOR UPDATE skip locked
func Claims(ctx context.Context, tx *sql.Tx, states []string) error {
	s := Select("SELECT id FROM jobs")
	for i, state := range states {
		s.Where(fmt.Sprintf("state <> $%d", i+1), state)
	}
	s.Sort("id")
	s.Claim()
	query, args := s.SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// locks: row jobs FOR SHARE wait
func Shares(ctx context.Context, tx *sql.Tx) error {
	s := Select("SELECT id FROM jobs").Share()
	query, args := s.SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// A Filter says what a Selection asks for.
type Filter struct {
	State, Kind string
	Lock        bool
}

func (f Filter) selection() *Selection {
	s := Select("SELECT id FROM rotations")
	if f.State != "" {
		s.Where("name = ?", f.State)
	}
	if f.Kind != "" {
		s.Where("name <> ?", f.Kind)
	}
	s.Sort("id")
	if f.Lock {
		s.suffix = " FOR UPDATE"
	}
	s.skip = f.Lock
	return s
}

// locks: row rotations FOR UPDATE skip locked
func Filtered(ctx context.Context, tx *sql.Tx, state string) error {
	query, args := Filter{State: state, Lock: true}.selection().SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// A Step is one that somebody else takes.
type Step func(*Selection)

func LockKeyless() Step { return func(s *Selection) { s.suffix = " FOR NO KEY UPDATE" } }

func (s *Selection) With(steps ...Step) *Selection {
	for _, o := range steps {
		o(s)
	}
	return s
}

// What such steps do is told of all of them: it may be any that the program
// has.
//
// locks: row jobs FOR NO KEY UPDATE wait; row jobs FOR NO KEY UPDATE skip locked; row jobs FOR SHARE wait; row jobs FOR SHARE skip locked; row jobs FOR UPDATE wait; row jobs FOR UPDATE skip locked
func Opted(ctx context.Context, tx *sql.Tx) error {
	s := Select("SELECT id FROM jobs")
	s.With(LockKeyless())
	query, args := s.SQL()
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}
