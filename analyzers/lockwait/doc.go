// Package lockwait reports what makes others wait long for a lock: calls
// that leave the process while it is held, waits without a bound, and
// concurrent DDL that waits for those who wait.
//
// A view of linked programs enters; findings leave. Waits that close a cycle
// of locks are lockorder's, a second connection of the same pool is
// poolintx's.
package lockwait
