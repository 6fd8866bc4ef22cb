package cli

import (
	"bytes"
	"strings"
	"testing"

	"chela/internal/intake"
)

func TestPreview_SaysWhenThereIsNoTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	(&app{out: &out, err: &out}).previewed("notes.txt", intake.Preview{})
	if !strings.Contains(out.String(), "notes.txt has no table of tickets") {
		t.Errorf("the preview says %q", out.String())
	}
}
