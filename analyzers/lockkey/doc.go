// Package lockkey reports advisory keys that can meet the keys of others, or
// lose part of what they are made of.
//
// A view of linked programs enters; findings leave.
package lockkey
