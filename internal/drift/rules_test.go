package drift_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/flow"
)

func objective(b desk.ObjectiveBody) flow.Objective {
	b.Outcome = "Ship"
	return flow.Objective{ID: "obj", ObjectiveBody: b}
}

// find returns the deltas of one type as "severity title | a=b | records".
func find(d drift.Desk, kind desk.DeltaType) []string {
	if d.Now.IsZero() {
		d.Now = now
	}
	var out []string
	for _, x := range drift.Find(d).Deltas {
		if x.Type == kind {
			out = append(out, fmt.Sprintf("%s %s | %s %s=%s %s=%s | %v", x.Severity, x.Title, x.Field, x.SourceA, x.ValueA, x.SourceB, x.ValueB, x.Records))
		}
	}
	return out
}

func TestRules_OwnersThatDiffer(t *testing.T) {
	t.Parallel()
	joe := person("Joe Martinez")
	joe.Aliases = []string{"Joe"}
	people := []capacity.Person{joe, person("Ann")}
	action := func(who, on string) drift.Thread {
		return thread(desk.Action{Text: "Tune it", Assignee: who, TicketID: on})
	}
	share := func(who ...string) (out []capacity.Share) {
		for _, id := range who {
			out = append(out, capacity.Share{ResourceID: id, TicketID: "a"})
		}
		return out
	}
	for name, c := range map[string]struct {
		thread drift.Thread
		shares []capacity.Share
		want   []string
	}{
		"somebody else has it":     {action("Ann", "a"), share("Joe Martinez"), []string{"HIGH Two owners: Tune it | owner thr=Ann a=Joe Martinez | [thr a]"}},
		"one of several has it":    {action("Ann and Joe", "a"), share("Joe Martinez"), nil},
		"one of two has it":        {action("Ann/Joe", "a"), share("Joe Martinez"), nil},
		"none of several has it":   {action("Ann and Bob", "a"), share("Joe Martinez"), []string{"HIGH Two owners: Tune it | owner thr=Ann and Bob a=Joe Martinez | [thr a]"}},
		"two others have it":       {action("Bob", "a"), share("Joe Martinez", "Ann"), []string{"HIGH Two owners: Tune it | owner thr=Bob a=Joe Martinez, Ann | [thr a]"}},
		"the same person":          {action("joe  martinez", "a"), share("Joe Martinez"), nil},
		"by another name":          {action("JOE", "a"), share("Joe Martinez"), nil},
		"one of two":               {action("Ann", "a"), share("Joe Martinez", "Ann"), nil},
		"nobody has it":            {action("Ann", "a"), nil, nil},
		"somebody who is gone":     {action("Ann", "a"), share("gone"), nil},
		"the action names nobody":  {action("", "a"), share("Ann"), nil},
		"the action has no ticket": {action("Bob", ""), share("Ann"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := drift.Desk{People: people, Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{})}, Shares: c.shares, Threads: []drift.Thread{c.thread}}
			if got := find(d, "OWNER_MISMATCH"); !slices.Equal(got, c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

func TestRules_ARuleReadsOnAfterWhatIsWell(t *testing.T) {
	t.Parallel()
	d := drift.Desk{
		People: []capacity.Person{person("Ann"), person("Bob")}, Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{}), ticket("b", desk.TicketBody{})},
		Shares: []capacity.Share{{ResourceID: "Ann", TicketID: "b"}, {ResourceID: "Ann", TicketID: "a"}},
		Threads: []drift.Thread{{ID: "thr", ThreadBody: desk.ThreadBody{Actions: []desk.Action{
			{Text: "no ticket", Assignee: "Bob"}, {Text: "well", Assignee: "Ann", TicketID: "b"}, {Text: "two", Assignee: "Bob", TicketID: "a"},
		}}}},
		Objectives: []flow.Objective{objective(desk.ObjectiveBody{Status: "ACHIEVED"}), objective(desk.ObjectiveBody{Status: "COMMITTED"})},
	}
	if got := find(d, "OWNER_MISMATCH"); !slices.Equal(got, []string{"HIGH Two owners: two | owner thr=Bob a=Ann | [thr a]"}) {
		t.Errorf("%q", got)
	}
	if got := find(d, "COVERAGE_GAP"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestRules_DatesThatDrift(t *testing.T) {
	t.Parallel()
	due := func(d desk.Date, s desk.TicketStatus) drift.Desk {
		return drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: d, Status: s})}}
	}
	two := func(action, due desk.Date) drift.Desk {
		return drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: due})}, Threads: []drift.Thread{thread(desk.Action{Text: "x", DueDate: action, TicketID: "a"})}}
	}
	ends := func(end desk.Date, status desk.ObjectiveStatus, tickets ...desk.TicketStatus) drift.Desk {
		var d drift.Desk
		for i, s := range tickets {
			d.Tickets = append(d.Tickets, ticket(fmt.Sprint(i), desk.TicketBody{Status: s, ObjectiveIDs: []string{"obj"}}))
		}
		d.Objectives = []flow.Objective{objective(desk.ObjectiveBody{EndDate: end, Status: status})}
		return d
	}
	past := func(end, percent string) []string {
		return []string{"HIGH Past its end: Ship | endDate obj=" + end + " coverage=" + percent + " % | [obj]"}
	}
	overdue := func(d string) []string {
		return []string{"HIGH Overdue: a | dueDate a=" + d + " today=2026-03-15 | [a]"}
	}
	differ := func(a, b string) []string {
		return []string{"MEDIUM Two due dates: x | dueDate thr=" + a + " a=" + b + " | [thr a]"}
	}
	for name, c := range map[string]struct {
		desk drift.Desk
		want []string
	}{
		"no date":                        {due("", desk.Todo), nil},
		"due yesterday":                  {due("2026-03-14", desk.Todo), overdue("2026-03-14")},
		"due today":                      {due("2026-03-15", desk.Todo), nil},
		"due tomorrow":                   {due("2026-03-16", desk.Todo), nil},
		"due an hour ago":                {due("2026-03-15T11:00:00Z", desk.InProgress), overdue("2026-03-15T11:00:00Z")},
		"due in an hour":                 {due("2026-03-15T14:00:00+01:00", desk.InProgress), nil},
		"due yesterday and done":         {due("2026-03-14", desk.Done), nil},
		"a date that cannot be read":     {due("soon", desk.Todo), nil},
		"two dates":                      {two("2026-04-01", "2026-04-15"), differ("2026-04-01", "2026-04-15")},
		"two dates alike":                {two("2026-04-01", "2026-04-01"), nil},
		"one instant in two zones":       {two("2026-04-01T10:00:00Z", "2026-04-01T12:00:00+02:00"), nil},
		"an instant of the day":          {two("2026-04-01", "2026-04-01T12:00:00Z"), nil},
		"an instant of another day":      {two("2026-04-01", "2026-04-02T12:00:00Z"), differ("2026-04-01", "2026-04-02T12:00:00Z")},
		"only the action has one":        {two("2026-04-01", ""), nil},
		"only the ticket has one":        {two("", "2026-04-01"), nil},
		"an objective past its end":      {ends("2026-03-14", "COMMITTED", desk.Done, desk.Todo, desk.Blocked), past("2026-03-14", "33.3")},
		"past its end without tickets":   {ends("2026-03-14", "AT_RISK"), past("2026-03-14", "0.0")},
		"past its end and covered":       {ends("2026-03-14", "COMMITTED", desk.Done), nil},
		"on its last day":                {ends("2026-03-15", "COMMITTED", desk.Todo), nil},
		"an hour past its end":           {ends("2026-03-15T11:00:00Z", "COMMITTED", desk.Todo), past("2026-03-15T11:00:00Z", "0.0")},
		"an objective without end":       {ends("", "COMMITTED", desk.Todo), nil},
		"an objective that was achieved": {ends("2026-03-01", "ACHIEVED", desk.Todo), nil},
		"an objective that was missed":   {ends("2026-03-01", "MISSED", desk.Todo), nil},
		"an objective that was dropped":  {ends("2026-03-01", "DROPPED", desk.Todo), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := find(c.desk, "DATE_DRIFT"); !slices.Equal(got, c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

func TestRules_WorkAndObjectivesThatMissEachOther(t *testing.T) {
	t.Parallel()
	served := ticket("a", desk.TicketBody{ObjectiveIDs: []string{"obj"}})
	lost, done := ticket("b", desk.TicketBody{}), ticket("c", desk.TicketBody{Status: desk.Done})
	d := drift.Desk{Tickets: []capacity.Ticket{served, lost, done}, Objectives: []flow.Objective{objective(desk.ObjectiveBody{})}}
	if got := find(d, "ORPHANED_WORK"); !slices.Equal(got, []string{"LOW Serves no objective: b |  b= = | [b]"}) {
		t.Errorf("%q", got)
	}
	if got := find(d, "COVERAGE_GAP"); got != nil {
		t.Errorf("an objective that a ticket names has a gap: %q", got)
	}
	d.Tickets = []capacity.Ticket{lost}
	if got := find(d, "COVERAGE_GAP"); !slices.Equal(got, []string{"HIGH No tickets: Ship |  obj= = | [obj]"}) {
		t.Errorf("%q", got)
	}
	got := drift.Find(d).Blindspots
	if len(got) != 1 || got[0].Title != "Nobody works on: Ship" || got[0].Category != "UNCOVERED_OBJECTIVE" || got[0].Severity != desk.High || !slices.Equal(got[0].RecordIDs, []string{"obj"}) {
		t.Errorf("%+v", got)
	}
	d.Objectives = nil
	if got := find(d, "ORPHANED_WORK"); got != nil {
		t.Errorf("without objectives, work is orphaned: %q", got)
	}
}

func TestRules_TheOtherRules(t *testing.T) {
	t.Parallel()
	old := func(days int, s desk.TicketStatus) drift.Desk {
		return drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{Status: s})}, Touched: map[string]time.Time{"a": now.AddDate(0, 0, -days)}}
	}
	loaded := func(percents ...float64) drift.Desk {
		d := drift.Desk{People: []capacity.Person{person("Ann")}}
		for i, p := range percents {
			id := fmt.Sprint(i)
			d.Tickets = append(d.Tickets, ticket(id, desk.TicketBody{}))
			d.Shares = append(d.Shares, capacity.Share{ResourceID: "Ann", TicketID: id, Percent: p})
		}
		return d
	}
	titled := func(titles ...string) drift.Desk {
		var d drift.Desk
		for i, title := range titles {
			b := desk.TicketBody{Title: strings.TrimPrefix(title, "done ")}
			if b.Title != title {
				b.Status = desk.Done
			}
			d.Tickets = append(d.Tickets, ticket(fmt.Sprint(i), b))
		}
		return d
	}
	blocked := func(s, by desk.TicketStatus) drift.Desk {
		return drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{Status: s, BlockedBy: []string{"b", "gone"}}), ticket("b", desk.TicketBody{Status: by})}}
	}
	away := loaded(0)
	away.People[0].Availability = new(float64)
	stale := []string{"MEDIUM Untouched: a | updatedAt a=2026-03-01 = | [a]"}
	for name, c := range map[string]struct {
		kind desk.DeltaType
		desk drift.Desk
		want []string
	}{
		"untouched for 14 days":            {"STALE_ARTIFACT", old(14, desk.InProgress), stale},
		"blocked for 14 days":              {"STALE_ARTIFACT", old(14, desk.Blocked), stale},
		"in review for 14 days":            {"STALE_ARTIFACT", old(14, desk.InReview), stale},
		"untouched for 13 days":            {"STALE_ARTIFACT", old(13, desk.InProgress), nil},
		"not begun for 14 days":            {"STALE_ARTIFACT", old(14, desk.Todo), nil},
		"done for 14 days":                 {"STALE_ARTIFACT", old(14, desk.Done), nil},
		"nobody knows since when":          {"STALE_ARTIFACT", drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{Status: desk.InProgress})}}, nil},
		"130 % over two":                   {"CAPACITY_OVERLOAD", loaded(80, 50), []string{"HIGH Ann has more than they can do | allocatedPercent Ann=130 % a full load=100 % | [Ann 0 1]"}},
		"without hours":                    {"CAPACITY_OVERLOAD", away, []string{"HIGH Ann has more than they can do | effectiveHours Ann=0 hours a week open tickets=1 | [Ann 0]"}},
		"all of their time":                {"CAPACITY_OVERLOAD", loaded(50, 50), nil},
		"the same title":                   {"DUPLICATE_ENTRY", titled("Fix it", "other", " fix  IT"), []string{"LOW Twice:  fix  IT | title 0= 2= | [0 2]"}},
		"the same title thrice":            {"DUPLICATE_ENTRY", titled("x", "X", "x "), []string{"LOW Twice: X | title 0= 1= | [0 1]", "LOW Twice: x  | title 0= 2= | [0 2]"}},
		"again after it was done":          {"DUPLICATE_ENTRY", titled("done x", "x"), []string{"LOW Twice: x | title 0= 1= | [0 1]"}},
		"done after it was asked":          {"DUPLICATE_ENTRY", titled("x", "done x"), nil},
		"other titles":                     {"DUPLICATE_ENTRY", titled("x", "x y", "xy"), nil},
		"blocked by what is done":          {"DEPENDENCY_MISMATCH", blocked(desk.Blocked, desk.Done), []string{"MEDIUM Blocked by finished work: a | blockedBy a=BLOCKED b=DONE | [a b]"}},
		"blocked by what is open":          {"DEPENDENCY_MISMATCH", blocked(desk.Blocked, desk.Todo), nil},
		"no more blocked":                  {"DEPENDENCY_MISMATCH", blocked(desk.InProgress, desk.Done), nil},
		"an allocation in tenths of 100 %": {"CAPACITY_OVERLOAD", loaded(0.2, 83.9, 15.9), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := find(c.desk, c.kind); !slices.Equal(got, c.want) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

func TestRules_ImportantTicketsWithoutAnybodyAreABlindspot(t *testing.T) {
	t.Parallel()
	d := drift.Desk{Now: now, People: []capacity.Person{person("Ann")}, Shares: []capacity.Share{{ResourceID: "Ann", TicketID: "had"}}}
	for id, b := range map[string]desk.TicketBody{
		"had": {Priority: desk.Critical}, "done": {Priority: desk.Critical, Status: desk.Done}, "small": {Priority: desk.Medium}, "low": {Priority: desk.Low},
	} {
		d.Tickets = append(d.Tickets, ticket(id, b))
	}
	if got := drift.Find(d).Blindspots; len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	d.Tickets = append(d.Tickets, ticket("high", desk.TicketBody{Priority: desk.High}), ticket("critical", desk.TicketBody{Priority: desk.Critical, Status: desk.Blocked}))
	got := drift.Find(d).Blindspots
	if len(got) != 1 || got[0].Category != "UNASSIGNED_WORK" || got[0].Severity != desk.High || !slices.Equal(got[0].RecordIDs, []string{"high", "critical"}) ||
		got[0].Description != "2 open tickets of high or critical priority are unassigned." {
		t.Errorf("%+v", got)
	}
	for i := range 60 {
		d.Tickets = append(d.Tickets, ticket(fmt.Sprint(i), desk.TicketBody{Priority: desk.High}))
	}
	if got := drift.Find(d).Blindspots; len(got) != 1 || len(got[0].RecordIDs) != 50 || !strings.HasPrefix(got[0].Description, "62 open tickets") {
		t.Errorf("%+v", got)
	}
}

func TestRules_TwentyOfAKindAreNotCounted(t *testing.T) {
	t.Parallel()
	var d drift.Desk
	for i := range 20 {
		d.Objectives = append(d.Objectives, flow.Objective{ID: fmt.Sprint(i), ObjectiveBody: desk.ObjectiveBody{Outcome: fmt.Sprint(i)}})
	}
	if got := drift.Find(d).Deltas; len(got) != 20 || got[19].Title != "No tickets: 19" {
		t.Errorf("%d deltas", len(got))
	}
	d.Objectives = append(d.Objectives, flow.Objective{ID: "20", ObjectiveBody: desk.ObjectiveBody{Outcome: "20"}})
	if got := drift.Find(d).Deltas; len(got) != 1 || got[0].Title != "21 objectives have no tickets" {
		t.Errorf("%d deltas, the last is %+v", len(got), got[len(got)-1])
	}
}

// TestRules_TheDeskTakesWhatIsFound draws whole desks; each finding must be a record that can
// be made, and finding again finds the same.
func TestRules_TheDeskTakesWhatIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesk(t)
		found := drift.Find(d)
		pack, err := json.Marshal(desk.DeltaPackBody{Deltas: found.Deltas})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := newRecord(desk.DeltaPack, "prj_1", pack); err != nil {
			t.Fatalf("%s: %v", pack, err)
		}
		for _, b := range found.Blindspots {
			raw, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := newRecord(desk.Blindspot, "prj_1", raw); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
		}
		for _, x := range found.Deltas {
			if x.Suggestion == "" {
				t.Fatalf("%+v suggests nothing", x)
			}
		}
		if again := drift.Find(d); fmt.Sprint(again) != fmt.Sprint(found) {
			t.Fatalf("%+v\nthen %+v", found, again)
		}
	})
}

func drawDesk(t *rapid.T) drift.Desk {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d", "gone"})
	name := rapid.SampledFrom([]string{"Ann", "Bob", "Eve", ""})
	date := rapid.SampledFrom([]desk.Date{"", "2026-03-01", "2026-03-15", "2026-03-20T10:00:00Z"})
	d := drift.Desk{Now: now, Touched: make(map[string]time.Time), People: []capacity.Person{person("Ann"), person("Bob")}}
	for _, i := range []string{"a", "b", "c", "d"} {
		d.Tickets = append(d.Tickets, ticket(i, desk.TicketBody{
			Title: rapid.SampledFrom([]string{"x", "X", "y", "z"}).Draw(t, "title"), Status: rapid.SampledFrom(desk.TicketStatuses()).Draw(t, "status"),
			Priority: rapid.SampledFrom(desk.Levels()).Draw(t, "priority"), DueDate: date.Draw(t, "due"), BlockedBy: rapid.SliceOfN(id, 0, 2).Draw(t, "by"),
		}))
		d.Touched[i] = now.AddDate(0, 0, -rapid.IntRange(0, 30).Draw(t, "days"))
	}
	for range rapid.IntRange(0, 5).Draw(t, "shares") {
		d.Shares = append(d.Shares, capacity.Share{ResourceID: name.Draw(t, "who"), TicketID: id.Draw(t, "what"), Percent: rapid.Float64Range(0, 100).Draw(t, "percent")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "objectives") {
		d.Objectives = append(d.Objectives, objective(desk.ObjectiveBody{
			Status: rapid.SampledFrom(desk.ObjectiveStatuses()).Draw(t, "status"), EndDate: date.Draw(t, "end"), TicketIDs: rapid.SliceOfN(id, 0, 3).Draw(t, "tickets"),
		}))
	}
	for range rapid.IntRange(0, 3).Draw(t, "threads") {
		d.Threads = append(d.Threads, thread(desk.Action{Text: "x", Assignee: name.Draw(t, "assignee"), DueDate: date.Draw(t, "due"), TicketID: id.Draw(t, "ticket")}))
	}
	return d
}

// newRecord makes a record from outside JSON.
func newRecord(k desk.Kind, project string, body json.RawMessage) (desk.Change, desk.Record, error) {
	thing, err := desk.Parse(k, body)
	if err != nil {
		return desk.Change{}, desk.Record{}, err
	}
	return desk.New(nil, k, project, thing)
}

// TestRules_DoneInTheMinutes holds that the last minutes that name an open ticket are believed, and that a date is one that was said anew.
func TestRules_DoneInTheMinutes(t *testing.T) {
	t.Parallel()
	week := func(day desk.Date, status string, due desk.Date, quote string) drift.Thread {
		return drift.Thread{ID: "thr " + string(day), ThreadBody: desk.ThreadBody{Title: "Weekly", Date: day, Actions: []desk.Action{
			{Text: "Write it by Friday", TicketID: "a", Status: status, DueDate: due, Sources: []desk.Source{{Document: "min.md", Line: 12, Quote: quote}}},
		}}}
	}
	first := week("2026-03-02", "OPEN", "2026-03-20", "- [ ] Ann: Write it by Friday")
	done := week("2026-03-09", "DONE", "2026-03-27", "- [x] Ann: Write it by Friday")
	for name, c := range map[string]struct {
		status  desk.TicketStatus
		threads []drift.Thread
		done    string
		dates   int
	}{
		"done in later minutes":    {desk.Todo, []drift.Thread{first, done}, "MEDIUM Done in the minutes: a | status thr 2026-03-09=DONE a=TODO | [thr 2026-03-09 a]", 0},
		"whichever came in first":  {desk.InReview, []drift.Thread{done, first}, "MEDIUM Done in the minutes: a | status thr 2026-03-09=DONE a=REVIEW | [thr 2026-03-09 a]", 0},
		"the ticket is done":       {desk.Done, []drift.Thread{first, done}, "", 0},
		"open again":               {desk.Todo, []drift.Thread{done, week("2026-03-11", "OPEN", "2026-03-20", "- Ann: Write it by Friday")}, "", 0},
		"said again, still open":   {desk.Todo, []drift.Thread{first, week("2026-03-09", "OPEN", "2026-03-27", "- [ ] Ann: Write it by Friday")}, "", 0},
		"said with another date":   {desk.Todo, []drift.Thread{first, week("2026-03-09", "OPEN", "2026-03-27", "- [ ] Ann: Write it by the 27th")}, "", 1},
		"cancelled":                {desk.Todo, []drift.Thread{first, week("2026-03-09", "DROPPED", "", "Cancelled: Write it by Friday")}, "MEDIUM Cancelled in the minutes: a | status thr 2026-03-09=CLOSED a=TODO | [thr 2026-03-09 a]", 0},
		"of two, one is not done":  {desk.Todo, []drift.Thread{{ID: "t", ThreadBody: desk.ThreadBody{Title: "W", Actions: []desk.Action{{Text: "x", TicketID: "a", Status: "DONE"}, {Text: "x", TicketID: "a", Status: "OPEN"}}}}}, "", 0},
		"minutes without a source": {desk.Todo, []drift.Thread{{ID: "t", ThreadBody: desk.ThreadBody{Title: "W", Actions: []desk.Action{{Text: "x", TicketID: "a", Status: "DONE"}}}}}, "MEDIUM Done in the minutes: a | status t=DONE a=TODO | [t a]", 0},
	} {
		d := drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: "2026-03-20", Status: c.status})}, Threads: c.threads}
		if got := strings.Join(find(d, "STATUS_MISMATCH"), "; "); got != c.done {
			t.Errorf("%s: %q, want %q", name, got, c.done)
		}
		if got := find(d, "DATE_DRIFT"); len(got) != c.dates {
			t.Errorf("%s: %q, want %d", name, got, c.dates)
		}
	}
	d := drift.Desk{Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{})}, Threads: []drift.Thread{done}, Now: now}
	if got := drift.Find(d).Deltas; len(got) != 1 || got[0].Text != "The minutes of 2026-03-09 say it is done; the ticket is To do.\n“- [x] Ann: Write it by Friday” (min.md, line 12)" {
		t.Errorf("%+v", got)
	}
}

// TestRules_AwayInTheMinutes holds that what minutes say of somebody who is away is proposed while it is to come and not among their days away.
func TestRules_AwayInTheMinutes(t *testing.T) {
	t.Parallel()
	says := func(id, who, days string) drift.Thread {
		return drift.Thread{ID: id, ThreadBody: desk.ThreadBody{Title: "Weekly", Date: "2026-02-27", Away: []desk.SaidAway{{ResourceID: who, Days: days, Sources: []desk.Source{{Document: "min.md", Line: 6, Quote: "- Ann is out 3-6 March"}}}}}}
	}
	const found = "MEDIUM Away in the minutes: Ann, 2026-03-03 to 2026-03-06 | away t1=2026-03-03 to 2026-03-06 ann= | [t1 ann]"
	for name, c := range map[string]struct {
		away    []string
		day     int
		threads []drift.Thread
		want    string
	}{
		"not known":                {nil, 1, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06")}, found},
		"known in part":            {[]string{"2026-03-03 to 2026-03-05"}, 1, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06")}, found},
		"said twice":               {nil, 1, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06"), says("t2", "ann", "2026-03-03 to 2026-03-06")}, found},
		"known":                    {[]string{"2026-03-02 to 2026-03-10"}, 1, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06")}, ""},
		"what is left is known":    {[]string{"2026-03-06"}, 6, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06")}, ""},
		"on its last day":          {nil, 6, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06")}, found},
		"over":                     {nil, 7, []drift.Thread{says("t1", "ann", "2026-03-03 to 2026-03-06")}, ""},
		"a weekend":                {nil, 1, []drift.Thread{says("t1", "ann", "2026-03-07 to 2026-03-08")}, ""},
		"of somebody who is gone":  {nil, 1, []drift.Thread{says("t1", "eva", "2026-03-03 to 2026-03-06")}, ""},
		"minutes that say nothing": {nil, 1, []drift.Thread{{ID: "t"}}, ""},
	} {
		d := drift.Desk{People: []capacity.Person{{ID: "ann", ResourceBody: desk.ResourceBody{Name: "Ann", Away: c.away}}}, Threads: c.threads, Now: time.Date(2026, 3, c.day, 15, 0, 0, 0, time.UTC)}
		if got := strings.Join(find(d, "ABSENCE"), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
