package prog

// Replica reports whether a connection, or what it was begun on, is kept in
// a variable or field that the configuration names as a read replica.
func (v *View) Replica(c *Conn) bool {
	if len(v.replicas) == 0 {
		return false
	}
	for ; c != nil; c = c.Parent {
		for val := c.Val; val != nil; val = val.Of0() {
			if (val.Kind == VField || val.Kind == VGlobal) && v.replicas[val.Str] {
				return true
			}
		}
	}
	return false
}
