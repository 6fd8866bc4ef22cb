package cli_test

import (
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
)

// TestBudget_IsNamedAsItsProjectIs: the budget of a project is listed and deleted by the project's name.
func TestBudget_IsNamedAsItsProjectIs(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"project", "create", "Shop"}, 0, ""},
		{[]string{"budget", "set", "project", "Shop", "--per", "day", "--tokens", "100"}, 0, "project:Shop:day: 100 tokens"},
		{[]string{"budget", "list"}, 0, "project:Shop:day             100 tokens"},
		{[]string{"budget", "rm", "project:Other:day"}, 3, "There is no budget project:Other:day. `chela budget list` lists them."},
		{[]string{"budget", "rm", "project:shop:day"}, 0, "Done."},
		{[]string{"budget", "list"}, 0, "Nothing is limited."},
	} {
		if code, out := chela(t, d, "", c.args...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v answers %d %s, want %d and %q", c.args, code, out, c.code, c.says)
		}
	}
}

// TestBudget_SaysThatNoPriceIsKnown: dollars bound nothing where the price of no model is known, and that is said.
func TestBudget_SaysThatNoPriceIsKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model string
		args  []string
		says  bool
	}{
		"no price":             {"llama3", []string{"--usd", "1"}, true},
		"no price, and tokens": {"llama3", []string{"--usd", "1", "--tokens", "100"}, false},
		"a price":              {"gpt-4o", []string{"--usd", "1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := daemontest.Run(t, daemontest.Setup{Change: func(cfg *config.Config) {
				cfg.Providers = []model.Provider{{Name: "own", Kind: model.KindOpenAI, Model: c.model, BaseURL: "http://127.0.0.1:1"}}
			}})
			code, out := chela(t, d, "", append([]string{"budget", "set", "organization"}, c.args...)...)
			if code != 0 || strings.Contains(out, "no model that is asked here has a known price, so nothing counts") != c.says {
				t.Errorf("it answers %d %s", code, out)
			}
		})
	}
}
