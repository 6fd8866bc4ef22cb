package findings

import "time"

// Due is when a keeper looks at a project that changed first and last at these times and is left alone until another.
func Due(o Options, first, last, rested time.Time) time.Time {
	k := NewKeeper(nil, nil, nil, o)
	k.dirty["project"], k.rests["project"] = changes{first, last}, rested
	return k.due("project")
}
