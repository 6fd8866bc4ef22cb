package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/config"
)

// resident is how much memory this process has, in MB.
func resident(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this system does not say how much memory a process has: ", err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n >> 10
}

// long is a body of a size that is made as it is read.
func long(head string, letters int64, tail string) io.Reader {
	return io.MultiReader(strings.NewReader(head), io.LimitReader(letterReader{}, letters), strings.NewReader(tail))
}

// letterReader gives the letter A for ever, which as base64 is a zero.
type letterReader struct{}

var letters = bytes.Repeat([]byte("A"), 64<<10)

func (letterReader) Read(b []byte) (int, error) { return copy(b, letters), nil }

// TestLoad_ManyLargeIntakes sends 16 intakes of 100 MB and one that never ends at the same time.
func TestLoad_ManyLargeIntakes(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project)
	debug.FreeOSMemory()
	idle, most := resident(t), 0
	stop, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				most = max(most, resident(t))
			}
		}
	}()
	const size = 100 << 20
	codes := make([]int, 17)
	var wg sync.WaitGroup
	for i := range codes {
		wg.Go(func() {
			body := long(fmt.Sprintf(`{"projectId":%q,"title":"%d","content":"`, project.ID, i), size, `"}`)
			switch {
			case i == 16:
				body = long(`{"projectId":"x","content":"`, 1<<30, `"}`)
			case i%2 == 0: // two files of 37 MB, which are taken
				file := func(n int) io.Reader { return long(fmt.Sprintf(`{"name":"%d-%d.bin","data":"`, i, n), size/2, `"}`) }
				body = io.MultiReader(strings.NewReader(fmt.Sprintf(`{"projectId":%q,"files":[`, project.ID)), file(1), strings.NewReader(","), file(2), strings.NewReader("]}"))
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url+"/api/intake", body)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+e.owner)
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				codes[i] = -1 // it was refused before it was sent
				return
			}
			said, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if codes[i] = res.StatusCode; res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
				t.Errorf("%d: 503 without Retry-After: %s", i, said)
			}
		})
	}
	wg.Wait()
	close(stop)
	<-watched
	taken := 0
	for i, code := range codes {
		switch {
		case code == http.StatusAccepted && i%2 == 0:
			taken++
		case code == http.StatusServiceUnavailable || code == http.StatusRequestEntityTooLarge && i%2 == 1:
		case i == 16 && (code == http.StatusRequestEntityTooLarge || code == -1):
		default:
			t.Errorf("the request %d was answered %d", i, code)
		}
	}
	if taken == 0 {
		t.Errorf("the answers are %v, want some taken in", codes)
	}
	if most-idle > 300 {
		t.Errorf("%d MB above the %d of the idle daemon, want at most 300", most-idle, idle)
	}
	e.call(e.owner, http.MethodGet, "/api/status", nil, nil)
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(50 * time.Millisecond) {
		debug.FreeOSMemory() // what is held would not go by it
		left := resident(t)
		if left-idle < 100 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d MB above the idle daemon 20 seconds later, want what was held given back", left-idle)
		}
	}
}

// TestLoad_SlowBodies opens connections whose bodies do not go on: each is ended soon, on every
// route, also those of nobody; a body that goes on slowly is waited for.
func TestLoad_SlowBodies(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(c *config.Config) { c.BodyStall = time.Second })
	for _, c := range []struct{ name, token, path, kind string }{
		{"a message", e.owner, "/api/chat", "application/json"},
		{"an intake", e.owner, "/api/intake", "application/json"},
		{"an upload", e.owner, "/api/intake/upload", "multipart/form-data; boundary=x"},
		{"nobody's message", "", "/api/chat", "application/json"},
		{"nobody's invitation", "", "/api/persons/accept", "application/json"},
		{"a platform", "", "/channels/none", "application/json"},
		{"nothing there", "", "/nothing", "application/json"},
		{"a route without a body", e.owner, "/api/login-link", "application/json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(e.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }() // it has ended
			began := time.Now()
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 1000000\r\n\r\n{\"text\":", c.path, c.token, c.kind)
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(began.Add(20 * time.Second))
			said, err := io.ReadAll(conn) // until the daemon closes it
			if took := time.Since(began); err != nil || took > 8*time.Second {
				t.Errorf("%v after %v, want it ended soon: %s", err, took, said)
			}
		})
	}
	body, w := io.Pipe()
	go func() {
		defer func() { _ = w.Close() }() // a pipe
		_, _ = io.WriteString(w, `{"text":"/help","idempotencyKey":"`)
		for range 12 { // 1.8 seconds, longer than it may stand still
			_, _ = io.WriteString(w, strings.Repeat(" ", 8<<10))
			<-time.After(150 * time.Millisecond)
		}
		_, _ = io.WriteString(w, `"}`)
	}()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url+"/api/chat", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+e.owner)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(said), "idempotencyKey") {
		t.Errorf("a body that goes on: %d %s, want it read to its end, and its key too long", res.StatusCode, said)
	}
}

// TestLoad_WrongTokens sends many from one address: they are slowed, and who has a right one is not.
func TestLoad_WrongTokens(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	slowed := 0
	for i := range 13 {
		path, body := "/api/me", ""
		if i%3 == 0 {
			path, body = "/api/persons/accept", `{"token":"chela_wrong"}`
		}
		method := map[bool]string{true: "POST", false: "GET"}[body != ""]
		code, said, h := e.send("chela_wrong", method, path, body)
		if code == http.StatusTooManyRequests && h.Get("Retry-After") != "" {
			slowed++
		} else if code != http.StatusUnauthorized {
			t.Errorf("%d: %d %s", i, code, said)
		}
	}
	if slowed == 0 || slowed > 3 {
		t.Errorf("%d of 13 wrong tokens were slowed, want those after the first ten", slowed)
	}
	began := time.Now()
	if code, said, _ := e.send(e.owner, "GET", "/api/me", ""); code != http.StatusOK {
		t.Errorf("a right token of the same address after %v: %d %s", time.Since(began), code, said)
	}
}
