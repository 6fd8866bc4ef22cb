package tool

// LocalNames maps names of a source to names of ours.
func LocalNames(prefix string, theirs []string) []string { return localNames(prefix, theirs) }
