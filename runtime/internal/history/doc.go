// Package history has no code: its test has programs take, lose and give back
// session locks at random while connections are killed, reset and frozen, and
// asks a checker whether grants, ends and fenced writes fit one order.
//
// A seed enters (PGLOCKDEP_SEED, else one from the clock, which is printed);
// nothing leaves. With PGLOCKDEP_FULL the schedule has 100,000 steps. The
// module is one of its own because of the checker it requires.
package history
