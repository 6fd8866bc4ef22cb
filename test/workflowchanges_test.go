package test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// changesFold reads what became of an instance in two parts, and compares where that ends with how it stands.
func changesFold(t *testing.T, d *daemon, run string) {
	t.Helper()
	type change struct {
		Seq    int64  `json:"seq"`
		Path   string `json:"path"`
		State  string `json:"state"`
		Review string `json:"review"`
		Tokens int    `json:"tokens"`
		Found  []any  `json:"found"`
	}
	var all, later struct {
		Items []change `json:"items"`
		Next  int64    `json:"next"`
		More  bool     `json:"more"`
	}
	d.must(t, http.MethodGet, "/api/instances/"+run+"/changes", nil, &all)
	state, step, reviews, found, tokens := "", "", []string{}, 0, 0
	for _, c := range all.Items {
		switch {
		case c.Path == "" && c.State != "":
			state = c.State
		case c.State != "":
			step = c.State
		case c.Review != "":
			reviews = append(reviews, c.Review)
		}
		found, tokens = found+len(c.Found), tokens+c.Tokens
	}
	want := "created assigned running review rework running review done"
	if state != "done" || step != "done" || strings.Join(reviews, " ") != want || found != 2 || tokens == 0 || all.More {
		t.Errorf("the changes end as %s, the step as %s after %v with %d found and %d tokens; %+v", state, step, reviews, found, tokens, all)
	}
	middle := len(all.Items) / 2
	d.must(t, http.MethodGet, fmt.Sprintf("/api/instances/%s/changes?after=%d", run, all.Items[middle-1].Seq), nil, &later)
	if len(later.Items) != len(all.Items)-middle || later.Next != all.Next {
		t.Errorf("after the half there are %d of %d, up to %d of %d", len(later.Items), len(all.Items), later.Next, all.Next)
	}
}
