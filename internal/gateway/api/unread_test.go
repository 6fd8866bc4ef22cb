package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestBody_UnreadEndsNoOtherRequest sends bodies to routes that read none, and asks again on the same connection: nobody
// takes the second request for one whose client has gone.
func TestBody_UnreadEndsNoOtherRequest(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(e.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the test is over
	in := bufio.NewReader(conn)
	ask := func(method, path, body string) int {
		t.Helper()
		if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, e.owner, len(body), body); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		if err := res.Body.Close(); err != nil { // it reads the rest
			t.Fatal(err)
		}
		return res.StatusCode
	}
	for i := range 100 {
		ask(http.MethodPost, "/nowhere", strings.Repeat("x", i*100))
		if code := ask(http.MethodGet, "/api/projects", ""); code != http.StatusOK {
			t.Fatalf("after a body of %d bytes that nobody read, the next request is answered %d", i*100, code)
		}
	}
}
