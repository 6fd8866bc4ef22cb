//go:build !chela_fault

package fault

// Point marks a place where a process may die: before and after every commit and
// every call to the outside. In builds with the tag chela_fault the process kills
// itself at the point that CHELA_DIE_AT numbers, and writes the name of each that it passes
// if CHELA_LIST_POINTS is set; here it does nothing.
func Point(string) {}
