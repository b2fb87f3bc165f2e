// Package entries holds programs that are entered in the ways of several
// frameworks. The comment above a function that locks says what reaches it.
package entries
