package pgsql

import (
	"strings"
	"unicode/utf8"
)

// An Error says why a statement could not be read, and where.
type Error struct {
	Message string
	Offset  int // in bytes
	Line    int // from 1
	Column  int // in characters, from 1
}

// Error is the message alone; who reports it knows the file.
func (e *Error) Error() string { return e.Message }

func errorAt(text string, offset int, message string) *Error {
	line, col := Place(text, offset)
	return &Error{Message: message, Offset: offset, Line: line, Column: col}
}

// Place is the line and column (in characters) of a byte offset, both from 1.
func Place(text string, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	head := text[:offset]
	line = strings.Count(head, "\n") + 1
	return line, utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:]) + 1
}

// byteOffset turns the parser's position, a character counted from 1, into
// bytes.
func byteOffset(text string, char int) int {
	n := 1
	for i := range text {
		if n == char {
			return i
		}
		n++
	}
	return len(text)
}
