// Package arrows states which package of this module may import which, in
// the project's own order language (arrows.txt), and holds the test that
// fails when an arrow is crossed. It has no code of its own.
package arrows
