package cli

import (
	"strings"
	"testing"
)

// TestFlags_WrongValuesAreSaidInWords: no name of a function of ours, and no flag that is given is left out.
func TestFlags_WrongValuesAreSaidInWords(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"schedule create --every 1h":                                    `invalid argument "1h" for "--every" flag: it takes a whole number`,
		"schedule create --every 99999999999999999999":                  `it takes a whole number that is not so large`,
		"schedule create --enabled=maybe":                               `invalid argument "maybe" for "--enabled" flag: it takes true or false`,
		"schedule create --agent pm --every 5 --window 30s":             "--window takes whole minutes",
		"schedule create --agent pm --every 5 --backoff 500us":          "--backoff takes whole milliseconds",
		"schedule create --agent pm --in 5m --every 5":                  "say one of --cron",
		"schedule create --agent pm --in 5m --deliver moon":             "--deliver takes",
		"schedule create --agent pm --in 5m --deliver chat:team":        "--deliver takes",
		"schedule create --agent pm --every 5 -p Wallet --all-projects": "one of --project and --all-projects",
	} {
		var out, errs strings.Builder
		code := Main(t.Context(), append(strings.Fields(args), "--url", "http://127.0.0.1:1", "--token", "x"), strings.NewReader(""), &out, &errs)
		if code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: %d, want %d and %q; got %s%s", args, code, exitUsage, want, out.String(), errs.String())
		}
	}
}
