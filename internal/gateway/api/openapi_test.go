package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/gateway/api"
)

var update = flag.Bool("update", false, "write the golden file")

// TestOpenAPI holds the document that the page's types are generated from against the
// routes.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
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

// TestOpenapi_KindsLieUnderTheirPlurals holds for the commands, which make addresses of kinds.
func TestOpenapi_KindsLieUnderTheirPlurals(t *testing.T) {
	t.Parallel()
	raw, err := api.OpenAPI("0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range desk.Kinds() {
		if k != desk.Project && strings.Contains(string(raw), `"operationId":"get-`+string(k)+`"`) && !strings.Contains(string(raw), `"/api/projects/{project}/`+k.Plural()+`/{id}"`) {
			t.Errorf("the routes of %s do not lie under %s", k, k.Plural())
		}
	}
	if !strings.Contains(string(raw), `"operationId":"get-ticket"`) {
		t.Error("the routes are not looked at")
	}
}
