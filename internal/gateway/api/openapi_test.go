package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"chela/internal/gateway/api"
)

var update = flag.Bool("update", false, "write the golden file")

// TestOpenAPI holds the document that the page's types are generated from against the
// routes.
func TestOpenAPI(t *testing.T) {
	const golden = "../../../docs/openapi.json"
	raw, err := api.OpenAPI("0.1")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Fatal("docs/openapi.json is not what the routes give; run `make openapi`")
	}
}
