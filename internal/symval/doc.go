// Package symval is the one evaluator from SSA to symbolic values: SQL
// text, handles, keys, rows, callees, contexts and guards.
//
// A function in SSA form enters; for each of its values and calls a
// prog.Val or what the call does leaves. It evaluates one function at a
// time and follows no call: what a callee returns is left as a result, to be
// bound when programs are linked.
package symval
