package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"chela/internal/stream"
)

// child starts this binary in a role and returns its address.
func child(b *testing.B, as string, env ...string) string {
	b.Helper()
	cmd := exec.Command(os.Args[0]) //nolint:gosec // this very binary
	cmd.Env = append(append(os.Environ(), role+"="+as), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill() // it has no other end
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		b.Fatalf("the %s did not start", as)
	}
	return lines.Text()
}

// listen serves h on a free port of loopback and prints its address.
func listen(h http.Handler) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it lives as long as the process
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + l.Addr().String())
	panic(http.Serve(l, h)) //nolint:gosec // loopback, for a report
}

// serveModel is a model that answers at once: tool calls as long as the person's
// words ask for more, then a sentence.
//
// A person's "hold-here" is answered with a word, and with the rest once /release is asked
// for; /held tells how many wait.
func serveModel() {
	var held atomic.Int64
	gate := newGate()
	mux := http.NewServeMux()
	mux.HandleFunc("/held", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, held.Load()) })
	mux.HandleFunc("/release", func(http.ResponseWriter, *http.Request) { gate.open() })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		body := string(raw)
		last := body[max(0, strings.LastIndex(body, `"role":"user"`)):]
		made := strings.Count(last, `"role":"tool"`)
		wanted := 0
		if _, rest, ok := strings.Cut(last, "calls="); ok {
			_, _ = fmt.Sscanf(rest, "%d", &wanted) // none: no calls
		}
		delta, finish := `{"role":"assistant","content":"Done as you said, in a short sentence of some sixteen words or so, for the log."}`, "stop"
		if made < wanted {
			delta = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"read_tickets","arguments":"{\"text\":\"part %d\"}"}}]}`, made, made+1)
			finish = "tool_calls"
		}
		const usage = `"usage":{"prompt_tokens":100,"completion_tokens":16}`
		if !strings.Contains(body, `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"choices":[{"message":%s,"finish_reason":%q}],%s}`, delta, finish, usage)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if strings.Contains(last, "hold-here") {
			open := gate.wait()
			_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n")
			_ = http.NewResponseController(w).Flush() // it shows in what follows
			held.Add(1)
			select {
			case <-open:
			case <-r.Context().Done():
			}
			held.Add(-1)
		}
		pieces := 0
		if _, rest, ok := strings.Cut(last, "pieces="); ok {
			_, _ = fmt.Sscanf(rest, "%d", &pieces) // none: the answer is one
		}
		for range pieces {
			_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n")
			_ = http.NewResponseController(w).Flush() // it shows in what follows
		}
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}],%s}\n\ndata: [DONE]\n\n", delta, finish, usage)
	})
	listen(mux)
}

// A gate lets all who wait through when it is opened, and is closed again.
type gate struct {
	mu sync.Mutex // guards c
	c  chan struct{}
}

func newGate() *gate { return &gate{c: make(chan struct{})} }

func (g *gate) wait() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.c
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.c)
	g.c = make(chan struct{})
}

// serveFanout sends what is posted to all who watch, and does nothing else.
func serveFanout() {
	hub := new(stream.Hub)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/events", func(w http.ResponseWriter, r *http.Request) {
		sub := hub.Subscribe("")
		defer sub.Close()
		c := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, ": the log from 0 on\n\n")
		for _ = c.Flush(); r.Context().Err() == nil; _ = c.Flush() { // a reader that left ends its context
			select {
			case t := <-sub.C:
				_, _ = fmt.Fprintf(w, "id: 1\ndata: %s\n\n", t.Text)
			case <-r.Context().Done():
			}
		}
	})
	mux.HandleFunc("POST /", func(_ http.ResponseWriter, r *http.Request) {
		if raw, err := io.ReadAll(r.Body); err == nil {
			hub.Publish(stream.Tick{Text: string(raw)})
		}
	})
	listen(mux)
}

// serveFloor answers a turn with the least that a durable one needs: a synced append
// of the message, one model call, a synced append of the answer. Appends that wait
// share a sync.
func serveFloor(model, dir string) {
	log := openSynced(filepath.Join(dir, "floor.log"))
	system := strings.Repeat("You are an agent. ", 500)
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		log.append(said)
		body, err := json.Marshal(map[string]any{"model": "fake", "stream": true, "messages": []map[string]string{{"role": "system", "content": system}, {"role": "user", "content": string(said)}}})
		if err != nil {
			return
		}
		req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, model+"/v1/chat/completions", strings.NewReader(string(body)))
		if err != nil {
			return
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		answer, err := io.ReadAll(res.Body)
		_ = res.Body.Close() // it is read
		if err != nil {
			return
		}
		log.append(answer)
		_, _ = w.Write(answer)
	}))
}

// synced is a file whose appends are on disk when they return.
type synced struct {
	file *os.File
	in   chan record
}

type record struct {
	raw  []byte
	done *sync.WaitGroup
}

func openSynced(path string) *synced {
	f, err := os.Create(path) //nolint:gosec // a temporary folder
	if err != nil {
		panic(err)
	}
	s := &synced{f, make(chan record, 256)}
	go func() {
		for r := range s.in {
			batch, more := []record{r}, true
			for more {
				select {
				case r := <-s.in:
					batch = append(batch, r)
				default:
					more = false
				}
			}
			for _, r := range batch {
				if _, err := f.Write(r.raw); err != nil {
					panic(err)
				}
			}
			if err := f.Sync(); err != nil {
				panic(err)
			}
			for _, r := range batch {
				r.done.Done()
			}
		}
	}()
	return s
}

func (s *synced) append(raw []byte) {
	var done sync.WaitGroup
	done.Add(1)
	s.in <- record{raw, &done}
	done.Wait()
}

// floorTurns measures the floor.
func floorTurns(b *testing.B, model string) map[int]load {
	b.Helper()
	url := child(b, "floor", "CHELA_BENCH_MODEL="+model, "CHELA_BENCH_DIR="+b.TempDir())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	out := make(map[int]load)
	for _, c := range levels {
		out[c] = drive(b, c, 2000, func(int, int) error {
			res, err := client.Post(url, "application/json", strings.NewReader(`{"text":"Say hello"}`)) //nolint:noctx // a report
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close() // it is read
			return err
		})
		line(fmt.Sprintf("floor, %d at once: rate", c), out[c].rate, "turns/s", 0)
		line(fmt.Sprintf("floor, %d at once: p50", c), ms(out[c].p50), "ms", 0)
	}
	return out
}
