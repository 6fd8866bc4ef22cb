package api_test

import (
	"net/http"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// TestRefusal_SaysWhatIsWrongWithALargeBody: what is wrong is said, however long the value is, and the value is not sent back whole.
func TestRefusal_SaysWhatIsWrongWithALargeBody(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	long := strings.Repeat("x", 100_000)
	code, said, _ := e.send(e.owner, http.MethodPost, "/api/route", `{"text":"`+long+`"}`)
	if code != http.StatusUnprocessableEntity || len(said) > 2000 || !strings.Contains(said, `"detail":"text: It has at most 20000 characters."`) {
		t.Errorf("got %d with %d bytes: %.300s", code, len(said), said)
	}
	_, err := client.New(e.url, e.owner).RouteMessage(t.Context(), client.RouteBody{Text: long})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), "text: It has at most 20000 characters.") {
		t.Errorf("the client says %v", err)
	}
}
