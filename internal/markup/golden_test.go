package markup_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chela/internal/markup"
)

var update = flag.Bool("update", false, "write the golden files anew")

var forms = []struct {
	name   string
	form   markup.Form
	limits markup.Limits
}{
	{"plain", markup.Plain, markup.Limits{Max: 4000, Unit: markup.Runes}},
	{"telegram", markup.TelegramHTML, markup.TelegramText()},
	{"slack", markup.SlackMrkdwn, markup.SlackText()},
	{"discord", markup.DiscordMarkdown, markup.DiscordText()},
	{"whatsapp", markup.WhatsApp, markup.WhatsAppText()},
	{"dingtalk", markup.DingTalkMarkdown, markup.DingTalkText()},
}

// TestGolden writes each document of testdata/golden in every form; a zero-width space is
// written as ¤, so that a reader of the file sees it, and a no-break space as ·.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range forms {
			name := strings.TrimSuffix(file, ".txt") + "." + f.name
			parts := markup.Parts(string(source), f.form, f.limits)
			got := strings.NewReplacer("\u200b", "¤", "\u00a0", "·").Replace(strings.Join(parts, "\n=====\n")) + "\n"
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}
