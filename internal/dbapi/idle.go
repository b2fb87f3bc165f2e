package dbapi

import "strings"

// Narrows reports a step of a builder, in any library, that only says which
// rows a statement means, in which order, or what is shown of them.
func Narrows(method string) bool {
	switch method {
	case "And", "Or", "Not", "Unique", "Asc", "Desc", "RemoveLimit", "RemoveOffset":
		return true
	}
	for _, p := range []string{"Where", "Order", "Group", "Having", "Limit", "Offset"} {
		if strings.HasPrefix(method, p) {
			return true
		}
	}
	return false
}

// Sets reports a step of a builder that adds a column which an UPDATE or
// INSERT sets, or rows of an INSERT.
func Sets(method string) bool {
	switch method {
	case "Set", "SetMap", "SetColumn", "Value", "Values":
		return true
	}
	return false
}
