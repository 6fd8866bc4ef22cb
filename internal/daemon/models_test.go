package daemon

import (
	"slices"
	"testing"

	"chela/internal/model"
)

// TestModels_WhatPlaysFromAScriptStays: a person who sets models keeps the file's script that is asked by those alone who name it.
func TestModels_WhatPlaysFromAScriptStays(t *testing.T) {
	t.Parallel()
	d := &Daemon{}
	d.cfg.Providers = []model.Provider{
		{Name: "demo", Kind: model.KindScripted, Reserved: true, Script: "script.json"}, {Name: "all", Kind: model.KindScripted}, {Name: "file", Kind: model.KindOpenAI, Reserved: true},
	}
	names := func(set ...model.Provider) (out []string) {
		for _, p := range d.withScripts(set) {
			out = append(out, p.Name+" "+string(p.Kind)+" "+p.Script)
		}
		return out
	}
	for _, c := range []struct{ got, want []string }{
		{names(model.Provider{Name: "local", Kind: model.KindOpenAI}), []string{"local openai ", "demo scripted script.json"}},
		{names(), []string{"demo scripted script.json"}},
		{names(model.Provider{Name: "demo", Kind: model.KindOpenAI}), []string{"demo openai "}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
