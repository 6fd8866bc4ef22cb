package api_test

import (
	"testing"

	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// TestModels_SayWhereTheyAreFrom: a provider of chela.yaml is from the file.
func TestModels_SayWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"steps":[]}`})
	all, err := client.New(d.URL, d.Token).ListModels(t.Context())
	if err != nil || len(all) == 0 || all[0].Name != "scripted" || all[0].From != "file" {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestTestModel_IsRecorded: what a test of a provider used is in the log, and counts as spent.
func TestTestModel_IsRecorded(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"steps":[],"otherwise":[{"agentName":"","responseFallback":"ok, it answers"}]}`})
	c := client.New(d.URL, d.Token)
	s, err := c.TestModel(t.Context(), "scripted")
	if err != nil || s.Last == nil || s.Last.Error != "" {
		t.Fatalf("%+v, %v", s.Last, err)
	}
	used, err := c.Usage(t.Context(), client.UsageQuery{})
	if err != nil || len(used) != 1 || used[0].Calls != 1 || used[0].OutputTokens == 0 {
		t.Errorf("%+v, %v", used, err)
	}
	if _, err := c.TestModel(t.Context(), "other"); err == nil {
		t.Error("a provider that is not there was tested")
	}
}
