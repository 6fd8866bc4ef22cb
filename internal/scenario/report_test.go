package scenario_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/scenario"
)

func TestReport_SeveralAtOnceKeepTheirOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var names []string
	for _, n := range []string{"c", "a", "b"} {
		name := filepath.Join(dir, n+".json")
		says := map[string]string{"c": "the project c", "a": "nowhere", "b": "the project b"}[n]
		if err := os.WriteFile(name, []byte(`{"schemaVersion":2,"projectName":null,"steps":[{"userQuery":"whereami","expects":{"replyMatches":"`+says+`"}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	files, err := scenario.Load(names)
	if err != nil {
		t.Fatal(err)
	}
	results := scenario.PlayAll(t.Context(), files, scenario.Options{Parallel: 3})
	if len(results) != 3 || results[0].Name != "c.json" || results[1].Name != "a.json" || results[2].Name != "b.json" || scenario.Failed(results) != 1 || results[1].OK() {
		t.Fatalf("%+v", results)
	}
	for format, says := range map[string]string{
		"text":  "3 scenarios, 1 failed\n",
		"json":  `"name": "a.json"`,
		"junit": `<testsuite name="a.json" tests="2" failures="1"`,
	} {
		var b strings.Builder
		if err := scenario.Report(&b, format, results); err != nil || !strings.Contains(b.String(), says) {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
		if format == "junit" && xml.Unmarshal([]byte(b.String()), new(struct{})) != nil {
			t.Errorf("no XML: %s", b.String())
		}
	}
	if err := scenario.Report(&strings.Builder{}, "pdf", results); !strings.Contains(fault.TextOf(err), "Allowed: text, json, junit") {
		t.Errorf("%v", err)
	}
}

func TestReport_LoadNamesEveryFileThatDoesNotFit(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"schemaVersion":2,"steps":[{"usrQuery":"x"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := scenario.Load([]string{"testdata/version1.json", bad, "none.json"})
	if text := fault.TextOf(err); !strings.Contains(text, bad+" does not fit: steps.0.usrQuery: The key is not known") || !strings.Contains(text, "none.json cannot be read") {
		t.Errorf("it says %q", text)
	}
}
