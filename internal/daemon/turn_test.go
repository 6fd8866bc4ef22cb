package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/pgtest"
)

func TestMain(m *testing.M) {
	pgtest.Prepare(func(url string) error { return daemon.Migrate(context.Background(), url) })
	pgtest.Main(m)
}

// What a turn may ask PostgreSQL. docs/performance.md has the figures; they may become smaller.
const (
	mostStatements = 62
	mostTrips      = 26
	mostCommits    = 3
)

// turnsCounted are the turns that are counted; what is asked in less than half of them is asked by the clock.
const turnsCounted = 20

// TestTurn_OnPostgres counts what a turn asks PostgreSQL: a message in a conversation that has begun, said to one agent, which
// answers without a tool. A statement counts once however many changes it makes, and so does a round trip however many statements
// it carries. What other parts ask because the turn has ended counts with it.
func TestTurn_OnPostgres(t *testing.T) {
	t.Parallel()
	address, wire := pgtest.Watch(t, pgtest.URL(t))
	d := daemontest.Run(t, daemontest.Setup{
		Script: `{"otherwise":[{"agentName":"","responseFallback":"Noted."}]}`,
		Change: func(c *config.Config) { c.Postgres = address },
	})
	c := speaker{t, d.URL, d.Token}
	var p struct{ ID string }
	c.post("/api/projects", map[string]any{"name": "Payments"}, &p)
	thread := ""
	for i := range 24 { // each connection has prepared what it says, and each conversation is short
		thread = c.say(p.ID, thread, fmt.Sprintf("Say hello %d", i))
		if i%8 == 7 {
			thread = ""
		}
	}
	thread = c.say(p.ID, "", "Say hello")
	var trips []pgtest.Trip
	for i := range turnsCounted {
		if i%8 == 7 { // the first turn of a conversation records more
			c.rest(wire)
			thread = c.say(p.ID, "", "Say hello")
		}
		c.rest(wire)
		c.say(p.ID, thread, fmt.Sprintf("Say hello again %d", i))
		time.Sleep(40 * time.Millisecond) // what follows from its end
		trips = append(trips, wire.Take()...)
	}
	asked, carried, commits := make(map[string]int), make(map[string]int), 0
	for _, trip := range trips {
		carried[strings.Join(trip.Statements, "; ")]++
		if trip.Commits {
			commits++
		}
		for _, s := range trip.Statements {
			asked[s]++
		}
	}
	statements, n := each(asked), each(carried)
	list := tell(asked) + "\n" + tell(carried)
	t.Logf("%d statements in %d round trips, %.1f commits\n%s", statements, n, float64(commits)/turnsCounted, list)
	if file := os.Getenv("CHELA_TURN_TRIPS"); file != "" {
		if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
			t.Error(err)
		}
	}
	if statements > mostStatements || n > mostTrips || (commits+turnsCounted/2)/turnsCounted > mostCommits {
		t.Errorf("a turn is %d statements in %d round trips and %d commits in %d turns; it may be %d, %d and %d a turn", statements, n, commits, turnsCounted, mostStatements, mostTrips, mostCommits)
	}
}

// each is how many of these a turn has.
func each(counts map[string]int) (n int) {
	for _, c := range counts {
		n += (c + turnsCounted/2) / turnsCounted
	}
	return n
}

// tell lists what is asked in each turn, once a line.
func tell(counts map[string]int) string {
	var out strings.Builder
	for s, c := range counts {
		fmt.Fprintf(&out, "%5.2f  %s\n", float64(c)/turnsCounted, s)
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

// rest waits until nothing follows from what was said, and forgets what was asked.
func (speaker) rest(wire *pgtest.Wire) {
	time.Sleep(60 * time.Millisecond)
	wire.Take()
}
