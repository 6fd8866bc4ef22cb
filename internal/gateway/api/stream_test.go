package api_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/testkit/pgtest"
)

func TestMain(m *testing.M) {
	pgtest.Prepare(func(url string) error { return daemon.Migrate(context.Background(), url) })
	pgtest.Main(m)
}

// ofStream begins to hear a daemon's log; what it returns says when the stream has ended.
func ofStream(t *testing.T, e *edge, token string) <-chan time.Time {
	t.Helper()
	var lines *bufio.Scanner
	var res *http.Response
	for try := time.Now(); ; {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.url+"/api/events", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if res, err = http.DefaultTransport.RoundTrip(r); err != nil { //nolint:bodyclose // the goroutine below closes it
			t.Fatal(err)
		}
		if lines = bufio.NewScanner(res.Body); lines.Scan() && res.StatusCode == http.StatusOK {
			break
		}
		_ = res.Body.Close()
		if time.Since(try) > 5*time.Second { // another node learns of a person within a second
			t.Fatalf("the stream does not begin: %d %v", res.StatusCode, lines.Err())
		}
		<-time.After(20 * time.Millisecond)
	}
	ended := make(chan time.Time, 1)
	go func() {
		defer func() { _ = res.Body.Close() }() // read to its end
		for lines.Scan() {
		}
		ended <- time.Now()
	}()
	return ended
}

// TestStream_SaysWhatItCannotRead: who asks for a place or a pattern that is none is told so, and does not wait in vain.
func TestStream_SaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for _, c := range []struct {
		path, last, want string
		code             int
	}{
		{"/api/events", "abc", "Last-Event-ID: It is no place in the log", http.StatusBadRequest},
		{"/api/events", "-1", "Last-Event-ID: It is no place in the log", http.StatusBadRequest},
		{"/api/events?after=yesterday", "", "after: It is no place in the log", http.StatusBadRequest},
		{"/api/events?type=run.finishd", "", "Did you mean run.finished?", http.StatusUnprocessableEntity},
	} {
		if code, said, _ := e.send(e.owner, http.MethodGet, c.path, "", "Last-Event-ID", c.last); code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%s after %q: %d %s, want %d with %q", c.path, c.last, code, said, c.code, c.want)
		}
	}
	body := `{"name":"x","url":"https://example.com/","events":["run.*","ticket.created"],"off":true}`
	if code, said, _ := e.send(e.owner, http.MethodPost, "/api/webhooks", body); code != http.StatusUnprocessableEntity || !strings.Contains(said, "Did you mean desk.ticket.created?") {
		t.Errorf("a webhook for what is never recorded: %d %s", code, said)
	}
}

// slack is what a busy machine may take beside.
const slack = 500 * time.Millisecond

// TestStream_EndsWithItsRight takes the right to a stream away, here and on another node.
func TestStream_EndsWithItsRight(t *testing.T) {
	t.Parallel()
	for name, nodes := range map[string]func(*testing.T) (here, there *edge){
		"one node": func(t *testing.T) (*edge, *edge) {
			t.Helper()
			e := newEdge(t)
			return e, e
		},
		"two nodes": func(t *testing.T) (*edge, *edge) {
			t.Helper()
			url, shared := pgtest.URL(t), t.TempDir()
			on := func(c *config.Config) { c.Postgres, c.Artifacts = url, shared }
			here := newEdge(t, on)
			there := newEdge(t, on)
			there.owner = here.owner
			return here, there
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here, there := nodes(t)
			for _, c := range []struct {
				name string
				end  func(id string)
			}{
				{"a revoked token", func(id string) {
					var tokens []struct{ ID, Person string }
					here.call(here.owner, http.MethodGet, "/api/tokens", nil, &tokens)
					for _, tok := range tokens {
						if tok.Person == id {
							here.call(here.owner, http.MethodDelete, "/api/tokens/"+tok.ID, nil, nil)
						}
					}
				}},
				{"a lowered role", func(id string) {
					here.call(here.owner, http.MethodPatch, "/api/persons/"+id, map[string]string{"role": "viewer"}, nil)
				}},
				{"a disabled person", func(id string) {
					here.call(here.owner, http.MethodPatch, "/api/persons/"+id, map[string]bool{"enabled": false}, nil)
				}},
			} {
				token, id := here.member(strings.ReplaceAll(c.name, " ", "-"), "editor")
				bystander, _ := here.member("Bo", "viewer")
				loses, stays := ofStream(t, there, token), ofStream(t, there, bystander)
				c.end(id)
				began := time.Now()
				select {
				case at := <-loses:
					if took := at.Sub(began); took > time.Second+slack {
						t.Errorf("%s: the stream ended after %v, want a second at most", c.name, took)
					}
				case <-time.After(10 * time.Second):
					t.Errorf("%s: the stream goes on", c.name)
				}
				select {
				case <-stays:
					t.Errorf("%s: somebody else's stream ended, too", c.name)
				default:
				}
			}
		})
	}
}
