package definition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/definition"
)

func waiting(until string) string {
	return fmt.Sprintf(`
slug: waits
name: Waits
inputs:
  - {name: day, type: date, default: "2026-12-01"}
  - {name: n, type: integer, default: 1}
  - {name: hours, type: list, default: []}
steps: [{id: a, wait: {until: %s}}]
`, until)
}

func TestReadFile_WaitsUntilADay(t *testing.T) {
	t.Parallel()
	vars := definition.Vars{"inputs": map[string]any{"day": "2026-12-01", "n": int64(1), "hours": []any{}}}
	for until, want := range map[string]string{
		`2026-12-01`: "2026-12-01T00:00:00Z", `"2026-12-01"`: "2026-12-01T00:00:00Z", `"'2026-12-01'"`: "2026-12-01T00:00:00Z", `"${'2026-12-01'}"`: "2026-12-01T00:00:00Z",
		`2026-12-01T09:30:00+01:00`: "2026-12-01T08:30:00Z", `"2026-12-01T09:30"`: "2026-12-01T09:30:00Z", `inputs.day`: "2026-12-01T00:00:00Z",
		`timestamp('2026-12-01T00:00:00Z') + duration('1h')`: "2026-12-01T01:00:00Z", `"inputs.day + 'T10:00'"`: "2026-12-01T10:00:00Z",
	} {
		c, problems := definition.ReadFile([]byte(waiting(until)))
		if problems != nil {
			t.Errorf("%s: %s", until, problems.In("waits.yaml"))
			continue
		}
		v, err := c.Graph.Nodes[0].At.Eval(t.Context(), vars)
		if err != nil {
			t.Errorf("%s: %s", until, err)
			continue
		}
		if got, err := definition.ReadTime(v); err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s waits until %s, %v; want %s", until, got, err, want)
		}
	}
}

func TestReadFile_NoTimeToWaitUntil(t *testing.T) {
	t.Parallel()
	for until, want := range map[string]string{
		`2026-02-30`: `"2026-02-30" is no time to wait until`, `"2026-02-30"`: `"2026-02-30" is no time`, `"'2026-02-30'"`: `"2026-02-30" is no time`, `2026-12-1`: `"2026-12-1" is no time`,
		`"2026-12-01T25:00:00Z"`: "is no time", `"'soon'"`: `"soon" is no time`, `inputs.n`: "gives a whole number and no time", `inputs.hours`: "gives a list and no time", `1 + 2`: "gives a whole number and no time",
		`true`: "gives true or false and no time", `timestamp('2026-02-30T00:00:00Z')`: "cannot be computed",
	} {
		_, problems := definition.ReadFile([]byte(waiting(until)))
		if got := problems.In("waits.yaml"); !strings.Contains(got, want) || !strings.Contains(got, "a") {
			t.Errorf("%s: %q, want %q", until, got, want)
		}
	}
}
