//go:build !race

package locks

// raced says that the race detector slows everything down.
const raced = false
