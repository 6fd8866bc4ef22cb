package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"chela/internal/cli"
)

// TestHelp_ShowsNoSecretOfTheEnvironment holds that the help of no command shows what flags have from the environment where that is a secret.
func TestHelp_ShowsNoSecretOfTheEnvironment(t *testing.T) { //nolint:paralleltest // it sets the environment
	t.Setenv("CHELA_TOKEN", "chela_hush")
	t.Setenv("CHELA_POSTGRES", "postgres://chela:hush@db/chela")
	for _, args := range [][]string{{}, {"serve"}, {"log"}, {"log", "verify"}, {"log", "rebuild"}, {"log", "erase"}, {"status"}} {
		var said bytes.Buffer
		cli.Main(t.Context(), append(args, "--help"), strings.NewReader(""), &said, &said)
		if !strings.Contains(said.String(), "CHELA_TOKEN") || strings.Contains(said.String(), "hush") {
			t.Errorf("the help of %q shows a secret, or no flags: %s", args, said.String())
		}
	}
}
