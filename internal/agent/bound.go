package agent

import (
	"slices"

	"chela/internal/approval"
)

// bounds are the folder in which a program of the call works and the files that it runs, as
// they are now. An approval holds for these.
func (p *plan) bounds() []approval.Bound {
	if p.act.Command == "" && p.act.Code == "" && len(p.act.Runs) == 0 {
		return nil
	}
	paths := []string{p.act.Dir}
	if paths[0] == "" {
		paths[0] = p.folders.Base()
	}
	for _, file := range p.act.Runs {
		if !slices.Contains(paths, file) {
			paths = append(paths, file)
		}
	}
	out := make([]approval.Bound, 0, len(paths))
	for _, path := range paths {
		if path != "" {
			out = append(out, approval.Identify(path))
		}
	}
	return out
}

// runsNotes tell a person which files an approval is bound to.
func runsNotes(bound []approval.Bound) []string {
	var out []string
	for _, b := range bound {
		if b.Sum != "" {
			out = append(out, "It runs "+b.Path+", as that is now (SHA-256 "+b.Sum[:12]+"…).")
		}
	}
	return out
}
