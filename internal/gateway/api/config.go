package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
)

// configRoutes add what is set one by one: the keys of two providers, as programs do that were written for the system
// whose exports and scenarios we take (all there is beyond is set by PUT /api/models), and the font size.
func configRoutes(a *api) {
	route(a, http.MethodGet, "/api/config/provider", "get-provider", "Get the first provider", org.Viewer, func(context.Context, *struct{}) (*Body[ProviderName], error) {
		out := ProviderName{}
		if list := a.Models.List(); len(list) > 0 {
			out.Provider = list[0].Name
		}
		return body(out, nil)
	})
	route(a, http.MethodGet, "/api/config/keys", "get-keys", "Show which of two providers have a key; keys are never shown", org.Admin, func(context.Context, *struct{}) (*Body[Keys], error) {
		return body(a.keys(), nil)
	})
	route(a, http.MethodGet, "/api/config/font-size", "get-font-size", "Get the font size of the page", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[FontSize], error) {
		size, err := a.Store.People.FontSize(ctx, person(ctx).ID)
		return body(FontSize{cmp.Or(size, org.UsualFont)}, err)
	})
	route(a, http.MethodPost, "/api/config/font-size", "set-font-size", "Set the font size of the page", org.Viewer, a.setFontSize)
	route(a, http.MethodPost, "/api/config/keys", "set-keys", "Set the keys of two providers; a key that is left out, or is the mask that GET returns, stays", org.Admin, a.setKeys)
}

// FontSize is the size of a font.
type FontSize struct {
	Size int `json:"fontSize" doc:"pixels, 13 when nobody said; what is smaller than 10 or larger than 24 becomes that"`
}

func (a *api) setFontSize(ctx context.Context, in *struct{ Body FontSize }) (*Body[FontSize], error) {
	size := min(max(in.Body.Size, org.SmallestFont), org.LargestFont)
	_, err := a.Store.Log.Append(ctx, org.FontSizedKind.Draft(a.minePlace(ctx), org.FontSized{Size: size}))
	return body(FontSize{size}, err)
}

// ProviderName names a provider.
type ProviderName struct {
	Provider string `json:"provider" doc:"empty when none is configured"`
}

// keyMask is what is said of a key that is there.
const keyMask = "********"

// Keys are the keys of two providers.
type Keys struct {
	Anthropic string `json:"anthropicKey" required:"false"`
	OpenAI    string `json:"openaiKey" required:"false"`
}

// of is the key of a provider.
func (k *Keys) of(kind model.Kind) *string {
	if kind == model.KindAnthropic {
		return &k.Anthropic
	}
	return &k.OpenAI
}

// keyed are the kinds whose keys are set so, with the name of their provider and of the variable that else has the key.
var keyed = []struct {
	kind           model.Kind
	name, variable string
}{{model.KindAnthropic, "anthropic", "ANTHROPIC_API_KEY"}, {model.KindOpenAI, "openai", "OPENAI_API_KEY"}}

func (a *api) keys() Keys {
	var out Keys
	for _, p := range a.Models.List() {
		for _, k := range keyed {
			if p.Name == k.name && p.HasKey {
				*out.of(k.kind) = keyMask
			}
		}
	}
	return out
}

func (a *api) setKeys(ctx context.Context, in *struct{ Body Keys }) (*Body[Keys], error) {
	list, changed := a.Models.List(), false
	for _, k := range keyed {
		key := *in.Body.of(k.kind)
		if key == "" || key == keyMask {
			continue
		}
		changed = true
		if i := slices.IndexFunc(list, func(p model.Provider) bool { return p.Name == k.name }); i >= 0 {
			list[i].Key, list[i].From = key, "settings"
			continue
		}
		for _, p := range model.FromEnvironment(func(name string) string { return map[string]string{k.variable: key}[name] }) {
			p.From = "settings"
			list = append(list, p)
		}
	}
	if !changed {
		return nil, fault.New(fault.Invalid, "No key is given: say anthropicKey or openaiKey.")
	}
	if err := a.Configure(ctx, party(ctx), list); err != nil {
		return nil, err
	}
	return body(a.keys(), nil)
}
