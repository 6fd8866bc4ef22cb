package shell

// Unreadable is what is said of a line on which the reading fails.
const Unreadable = unreadable

// Known reports whether there is a rule for what a program does with its arguments.
func Known(program string) bool {
	if s, ok := programs[program]; ok {
		return !s.unknown
	}
	_, ok := judges(program)
	return ok
}
