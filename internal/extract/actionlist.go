package extract

import "slices"

// A list of actions names its columns otherwise than trackers do: what, who and until when. These words count only beside one another.
var (
	actionColumns = list("action item, action items, action point, action points, action, actions, next step, next steps, to do, todo, what, maßnahme, maßnahmen, was, task, aufgabe")
	untilColumns  = list("by when, target, bis wann, until when, when, until, bis, wann")
)

// listsActions finds the columns of a list of actions, and reports whether the table is one: it says who does what, and until
// when or whether that is done.
func (at layout) listsActions(header []string) bool {
	names := columnNames(header)
	first := func(of []string) (found []int) {
		for _, name := range of {
			if i := slices.Index(names, name); i >= 0 {
				return []int{i}
			}
		}
		return nil
	}
	what, until := at["title"], at["due"]
	if len(what) == 0 {
		what = first(actionColumns)
	}
	if len(until) == 0 {
		until = first(untilColumns)
	}
	owner := at["owner"]
	if len(owner) == 0 {
		owner = first([]string{"who", "wer", "by whom", "dri"})
	}
	if len(what) == 0 || !slices.Contains(actionColumns, names[what[0]]) || len(owner) == 0 || len(until)+len(at["finished"])+len(at["status"]) == 0 {
		return false
	}
	at["title"], at["owner"] = what, owner
	if len(until) > 0 {
		at["due"] = until
	}
	return true
}
