package api_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestSecured_OperationsThatNeedAKeySaySo calls each operation of the served document without a key: those that refuse it say
// that they need one, and the others do not.
func TestSecured_OperationsThatNeedAKeySaySo(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var doc struct {
		Paths map[string]map[string]struct {
			Security []map[string][]string `json:"security"`
		} `json:"paths"`
		Components struct {
			Schemes map[string]any `json:"securitySchemes"`
		} `json:"components"`
	}
	if _, text, _ := e.send("", http.MethodGet, "/openapi.json", ""); json.Unmarshal([]byte(text), &doc) != nil || len(doc.Paths) < 100 {
		t.Fatalf("the document has %d paths: %.200s", len(doc.Paths), text)
	}
	slot := regexp.MustCompile(`\{[^}]*\}`)
	for path, methods := range doc.Paths {
		for method, op := range methods {
			method = strings.ToUpper(method)
			code, _, _ := e.send("", method, slot.ReplaceAllString(path, "x"), "{}")
			if says, refused := len(op.Security) > 0, code == http.StatusUnauthorized; says != refused {
				t.Errorf("%s %s is refused without a key: %v. The document says that it needs one: %v.", method, path, refused, says)
			}
			for _, needs := range op.Security {
				for scheme := range needs {
					if doc.Components.Schemes[scheme] == nil {
						t.Errorf("%s %s needs %q, which the document does not describe", method, path, scheme)
					}
				}
			}
		}
	}
}
