package schema

import (
	"slices"
	"testing"
)

func TestQueryComments(t *testing.T) {
	text := `-- above the first
-- name: First :one
-- inside
SELECT 1
-- still inside
FROM t;

-- above the second
-- name: Second :exec
SELECT 2;
-- of none
`
	var got []string
	for _, c := range queryComments("q.sql", text) {
		got = append(got, c.Query+" "+c.Text)
	}
	want := []string{"First -- above the first", "First -- inside", "First -- still inside", "Second -- above the second"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
