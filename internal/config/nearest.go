package config

import (
	"fmt"
	"strings"
)

// nearest names the word that was probably meant, as the end of a message.
// Where none is near, all are listed if they are few.
func nearest(word string, words []string) string {
	best, at := "", len(word)/2+2
	for _, w := range words {
		if n := distance(strings.ToLower(word), w); n < at {
			best, at = w, n
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf(" (nearest: %q)", best)
	case len(words) <= 12:
		return " (known: " + strings.Join(words, ", ") + ")"
	}
	return ""
}

// distance counts the letters to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
