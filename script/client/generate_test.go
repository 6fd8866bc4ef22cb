package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerate_IsCurrent holds the client against the document.
func TestGenerate_IsCurrent(t *testing.T) {
	t.Parallel()
	got, err := made("../..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("internal/gateway/client/api.gen.go is not what docs/openapi.json gives; run `make openapi`")
	}
}

func TestGoName_Words(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"projectId": "ProjectID", "list-delta-packs": "ListDeltaPacks", "delta_pack": "DeltaPack", "id": "ID", "sourceUrl": "SourceURL", "uploadIds": "UploadIDs", "RecordOfTicketBody": "RecordOfTicketBody"} {
		if got := goName(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
