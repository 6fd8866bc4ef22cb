package cli

import (
	"bytes"
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// TestAgent_IsSwitchedByCommand disables an agent and enables it again, and shows it.
func TestAgent_IsSwitchedByCommand(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	said := func(fails bool, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(t.Context(), append([]string{"agent", "--data", d.Dir, "--url", d.URL, "--token", d.Token}, args...), strings.NewReader(""), &out, &errs)
		if (code != exitOK) != fails {
			t.Fatalf("%v: %d %s", args, code, errs.String())
		}
		return out.String() + errs.String()
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"list"}, "pm\tspecialist\tidle"},
		{[]string{"disable", "pm"}, "pm is disabled."},
		{[]string{"list"}, "pm\tspecialist\tdisabled"},
		{[]string{"show", "agent:pm"}, "specialist, disabled"},
		{[]string{"enable", "pm"}, "pm is enabled."},
		{[]string{"show", "pm"}, "may    change records"},
	} {
		if got := said(false, c.args...); !strings.Contains(got, c.says) {
			t.Errorf("%v says %q, want %q", c.args, got, c.says)
		}
	}
	if got := said(true, "disable", "nobody"); !strings.Contains(got, "nobody") {
		t.Errorf("an agent that is not there: %q", got)
	}
}
