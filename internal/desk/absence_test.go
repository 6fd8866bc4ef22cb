package desk_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
)

func TestAway_IsWrittenInOneForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		`["2026-12-03 to 2026-12-07"]`:                               {"2026-12-03 to 2026-12-07"},
		`["2026-12-03/2026-12-07","2026-12-03 – 2026-12-07"]`:        {"2026-12-03 to 2026-12-07"},
		`["2026-12-24","","2026-12-03 bis 2026-12-03"]`:              {"2026-12-03", "2026-12-24"},
		`["2026-12-07 to 2026-12-03"]`:                               nil,
		`["2026-02-30"]`:                                             nil,
		`["next week"]`:                                              nil,
		`["` + strings.Repeat(`2026-12-03","`, 200) + `2026-12-04"]`: nil,
	} {
		b := desk.ResourceBody{Name: "Tom"}
		if err := json.Unmarshal([]byte(in), &b.Away); err != nil {
			t.Fatal(err)
		}
		if err := b.Check(); (err == nil) != (want != nil) || err == nil && !slices.Equal(b.Away, want) {
			t.Errorf("%.60s is %q, want %q: %v", in, b.Away, want, err)
		}
	}
	b := desk.ResourceBody{Name: "Tom", Away: []string{"2026-12-03 to 2026-12-07"}}
	for day, want := range map[string]bool{"2026-12-02": false, "2026-12-03": true, "2026-12-07": true, "2026-12-08": false} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if b.AwayOn(at) != want || b.AwayOn(at.Add(23*time.Hour)) != want {
			t.Errorf("away on %s: %v, want %v", day, !want, want)
		}
	}
}
