package lockgraph

import "regexp"

// entryPoint matches the names of what enters a program from outside, as
// they stand among what reaches a path.
var entryPoint = regexp.MustCompile(`^(…?/|[A-Z|]+ …?/|(grpc|connect|command|cron|task|job|activity|workflow|goroutine of) )`)

// EntryPoint reports whether a name among what reaches a path is that of a
// route, a service's method, a command, a scheduled or queued job, or of the
// goroutine that a function starts, and not a function's.
func EntryPoint(name string) bool { return entryPoint.MatchString(name) }
