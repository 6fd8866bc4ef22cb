//go:build !linux

package browser

// Bounded reports whether this system tells what a browser uses, so that it can be bounded.
const Bounded = false

// used cannot be told here.
func used(int) (usage, bool) { return usage{}, false }
