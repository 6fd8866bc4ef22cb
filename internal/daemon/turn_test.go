package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/pgtest"
)

func TestMain(m *testing.M) {
	pgtest.Prepare(func(url string) error { return daemon.Migrate(context.Background(), url) })
	pgtest.Main(m)
}

// A cost is what a turn asks PostgreSQL.
type cost struct{ statements, trips, commits int }

// turnsCounted are how many turns are counted, of which the one counts that asked least: what the clock asks meanwhile is no turn's.
const turnsCounted = 20

// TestTurn_OnPostgres counts what a turn asks PostgreSQL: a message in a conversation that has begun, said to one agent, which
// answers without a tool. A statement counts once however many changes it makes, and so does a round trip however many statements
// it carries. What other parts ask because the turn has begun or ended counts with it; nodes are told at most once a commit. When
// the model takes its time, that the run is worked is recorded before the answer. docs/performance.md has the figures.
func TestTurn_OnPostgres(t *testing.T) {
	t.Parallel()
	address, wire := pgtest.Watch(t, pgtest.URL(t))
	slow := &pausing{}
	d := daemontest.Run(t, daemontest.Setup{
		Script:  `{"otherwise":[{"agentName":"","responseFallback":"Noted."}]}`,
		Change:  func(c *config.Config) { c.Postgres = address },
		Options: daemon.Options{Play: func(m model.Model) model.Model { slow.Model = m; return slow }},
	})
	c := speaker{t, d.URL, d.Token}
	var p struct{ ID string }
	c.post("/api/projects", map[string]any{"name": "Payments"}, &p)
	for what, most := range map[string]cost{"at once": {13, 6, 2}, "after a while": {17, 8, 3}} {
		if slow.pause.Store(0); what != "at once" {
			slow.pause.Store(int64(60 * time.Millisecond))
		}
		for range 3 { // each connection prepares what it says
			c.say(p.ID, c.say(p.ID, c.say(p.ID, "", "Hello"), "Hello"), "Hello")
		}
		least, trips, thread := cost{statements: 1 << 30}, []pgtest.Trip(nil), ""
		for i := range turnsCounted {
			if i%8 == 0 { // a conversation is short, and its first turn records more
				thread = c.say(p.ID, "", "Say hello")
			}
			time.Sleep(settles)
			wire.Take()
			c.say(p.ID, thread, fmt.Sprintf("Say hello again %d", i))
			time.Sleep(settles)
			took := wire.Take()
			if c := costOf(took); c.statements+c.trips < least.statements+least.trips {
				least, trips = c, took
			}
		}
		t.Logf("answered %s a turn is %+v:%s", what, least, tell(trips))
		if least.statements > most.statements || least.trips > most.trips || least.commits > most.commits {
			t.Errorf("answered %s a turn asks %+v; it may ask %+v:%s", what, least, most, tell(trips))
		}
		if told := slices.DeleteFunc(trips, func(t pgtest.Trip) bool { return !notifies(t) }); len(told) > least.commits {
			t.Errorf("answered %s a turn tells nodes %d times, with %d commits", what, len(told), least.commits)
		}
	}
}

// settles is when nothing follows from a turn any more.
const settles = 60 * time.Millisecond

// pausing is a model that takes its time.
type pausing struct {
	model.Model
	pause atomic.Int64
}

func (p *pausing) Generate(ctx context.Context, r model.Request, got func(model.Delta)) (model.Answer, error) {
	time.Sleep(time.Duration(p.pause.Load()))
	return p.Model.Generate(ctx, r, got)
}

// keptRead matches what is kept in memory for most of a second: on a machine that is slow, each turn meets its end. It is the clock that asks then.
var keptRead = regexp.MustCompile(`^SELECT .* FROM (budgets|org_agents|org_persons|access_tokens|program_keys|allowances|channel_options|nodes)( |$)`)

// notifies is whether a trip tells the nodes what changed. One tells all that was committed within ten milliseconds, so how many a
// turn takes is up to how long it takes.
func notifies(t pgtest.Trip) bool {
	return len(t.Statements) == 1 && strings.HasPrefix(t.Statements[0], "SELECT pg_notify(")
}

func costOf(trips []pgtest.Trip) (c cost) {
	for _, trip := range trips {
		if notifies(trip) || len(trip.Statements) == 1 && keptRead.MatchString(trip.Statements[0]) {
			continue
		}
		c.trips++
		c.statements += len(trip.Statements)
		if trip.Commits {
			c.commits++
		}
	}
	return c
}

// tell lists the round trips, a statement on each line.
func tell(trips []pgtest.Trip) string {
	var out strings.Builder
	for i, trip := range trips {
		for _, s := range trip.Statements {
			fmt.Fprintf(&out, "\n%3d %s", i+1, s)
		}
	}
	return out.String()
}

// A speaker says things to a daemon by its API.
type speaker struct {
	t          *testing.T
	url, token string
}

func (c speaker) post(path string, in, out any) {
	c.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+path, bytes.NewReader(raw))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // it is read
	if res.StatusCode >= http.StatusMultipleChoices {
		c.t.Fatalf("%s: %s", path, res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		c.t.Fatal(err)
	}
}

// say says something to an agent, in a conversation or a new one, and returns the conversation when it is answered.
func (c speaker) say(project, thread, text string) string {
	c.t.Helper()
	in := map[string]any{"text": text, "agent": "pm", "wait": true}
	if thread == "" {
		in["projectId"] = project
	} else {
		in["threadId"] = thread
	}
	var out struct {
		ThreadID string `json:"threadId"`
		State    string `json:"state"`
	}
	if c.post("/api/chat", in, &out); out.State != "done" {
		c.t.Fatalf("the turn ended as %+v", out)
	}
	return out.ThreadID
}
