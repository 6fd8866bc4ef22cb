package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway/client"
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

// TestSubmit_ADaemonThatGoesAwayHasTheIntake: what was handed in is named, and that it goes on.
func TestSubmit_ADaemonThatGoesAwayHasTheIntake(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"intakeId": "int_1", "runId": "run_1"}) // the client sees it missing
	}))
	t.Cleanup(server.Close)
	var out bytes.Buffer
	_, err := (&app{out: &out, err: &out}).submit(t.Context(), client.New(server.URL, "t"), "prj_1", nil, nil)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "handed in as int_1") || !strings.Contains(fault.TextOf(err), "goes on by itself") {
		t.Errorf("got %v", err)
	}
}
