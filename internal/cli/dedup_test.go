package cli_test

import (
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// TestDedup_NamesPeopleWhoAreLikelyTheSame: they are proposed with the command that merges them, which takes names.
func TestDedup_NamesPeopleWhoAreLikelyTheSame(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	if code, out := chela(t, d, "", "project", "create", "Shop"); code != 0 {
		t.Fatalf("%d %s", code, out)
	}
	if code, out := chela(t, d, "Key,Title,Status,Owner\nA-1,One,To Do,Dana Reyes\nA-2,Two,To Do,dreyes\n", "intake", "-", "-p", "Shop"); code != 0 {
		t.Fatalf("%d %s", code, out)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"project", "dedup", "-p", "Shop"}, 0, `chela project dedup --into "Dana Reyes" "dreyes" --yes`},
		{[]string{"project", "dedup", "-p", "Shop", "--into", "Dana Reyes"}, 3, "Name both who stays and who is the same"},
		{[]string{"project", "dedup", "-p", "Shop", "--into", "Dana Reyes", "nobody"}, 3, `0 people of the project are called "nobody"`},
		{[]string{"project", "dedup", "-p", "Shop", "--into", "Dana Reyes", "dreyes"}, 0, "1 records would be merged"},
		{[]string{"project", "dedup", "-p", "Shop", "--into", "Dana Reyes", "dreyes", "--yes"}, 0, "1 records were merged"},
		{[]string{"list", "tickets", "-p", "Shop", "--filter", "owner:dreyes"}, 0, "2 of 2"},
	} {
		if code, out := chela(t, d, "", c.args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v answers %d %s, want %d and %q", c.args, code, out, c.code, c.says)
		}
	}
}
