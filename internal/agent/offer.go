package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/skill"
	"chela/internal/tool"
)

// offerRoom is what the descriptions of tools may take of a prompt, in tokens: with the
// longest prompt of a default agent an idle prompt stays under 3,000.
const offerRoom = 1980

// findTools is how an agent with more tools than fit into a prompt learns of the others.
const findTools = "find_tools"

// offers keeps what agents are shown, so that it is chosen and encoded once while the catalog stays
// as it is.
type offers struct {
	mu    sync.Mutex // guards the rest
	from  *tool.Set  // of the catalog
	tools *tool.Set  // from, with the runner's own
	sets  map[offerKey][]offer
}

// How many offers are kept: of agents with what they found, and of each of these.
const (
	mostOffers      = 1000
	mostOffersOfOne = 8
)

// An offerKey is an agent and the tools that it found, as lines.
type offerKey struct {
	agent org.AgentID
	found string
}

// An offer is what an agent is shown as long as it may use what it may.
type offer struct {
	tools       []string
	security    org.Security
	permissions org.Permissions
	set         *model.Toolset
}

func (o offer) holds(a org.Agent) bool {
	return slices.Equal(o.tools, a.Tools) && maps.Equal(o.permissions, a.Permissions) && reflect.DeepEqual(o.security, a.Card.Security)
}

// tools returns the tools there are now.
func (g *Runner) tools() *tool.Set {
	g.offers.mu.Lock()
	defer g.offers.mu.Unlock()
	return g.offers.now(g)
}

// now forgets what agents were shown of another catalog. The caller holds mu.
func (o *offers) now(g *Runner) *tool.Set {
	if from := g.catalog.Now(); from != o.from {
		o.from, o.tools, o.sets = from, from.With(g.own...), make(map[offerKey][]offer)
	}
	return o.tools
}

// toolset returns what a model is shown of the tools that an agent may use: all of them
// when they fit, else those that come first, those found since, and find_tools.
func (g *Runner) toolset(a org.Agent, found []string) *model.Toolset {
	key := offerKey{a.Card.AgentID, strings.Join(found, "\n")}
	g.offers.mu.Lock()
	defer g.offers.mu.Unlock()
	tools := g.offers.now(g)
	for _, o := range g.offers.sets[key] { // a child of an agent may do less than the agent itself
		if o.holds(a) {
			return o.set
		}
	}
	list := offered(tools, a)
	total := 0
	for _, t := range list {
		total += weight(t)
	}
	if total > offerRoom {
		list = some(list, found)
		if t, ok := tools.Find(findTools); ok {
			list = append(list, t)
		}
	}
	if slices.Contains(found, rereadTool) {
		if t, ok := tools.Find(rereadTool); ok {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	specs := make([]model.ToolSpec, len(list))
	for i, t := range list {
		specs[i] = model.ToolSpec{Name: t.Name, Help: t.Help, Schema: t.Schema}
	}
	set := model.NewToolset(specs...)
	if len(g.offers.sets) >= mostOffers {
		clear(g.offers.sets)
	}
	kept := g.offers.sets[key]
	if len(kept) >= mostOffersOfOne {
		kept = nil
	}
	g.offers.sets[key] = append(kept, offer{a.Tools, a.Card.Security, a.Permissions, set})
	return set
}

// offered lists what an agent may use, in the order in which it names them, and what one name stands for in the
// order in which tools are registered.
func offered(tools *tool.Set, a org.Agent) []*tool.Tool {
	list := slices.DeleteFunc(tools.Of(a.Tools), func(t *tool.Tool) bool {
		return t.Name == findTools || t.Name == rereadTool || !guard.Offered(a, t.Spec)
	})
	place := make(map[*tool.Tool]int, len(list))
	for _, t := range list {
		place[t] = slices.IndexFunc(a.Tools, func(n string) bool { return n == "*" || org.Whole(n) == t.Name || org.Lists([]string{n}, t.Name) })
	}
	slices.SortStableFunc(list, func(a, b *tool.Tool) int { return cmp.Compare(place[a], place[b]) })
	return list
}

// some returns the first tools that fit, beside those that were found. One that does not fit leaves its room to
// those behind it.
func some(list []*tool.Tool, found []string) []*tool.Tool {
	var out []*tool.Tool
	room := offerRoom - 120 // of find_tools itself
	for _, t := range list {
		if slices.Contains(found, t.Name) {
			out = append(out, t)
		} else if w := weight(t); w <= room {
			room -= w
			out = append(out, t)
		}
	}
	return out
}

// named lists the tools that a request names and that the agent may use: it is shown them without looking for them. The most are those
// that one search finds.
func (g *Runner) named(a org.Agent, request string) (out []string) {
	if !strings.Contains(request, "_") {
		return nil
	}
	words := strings.FieldsFunc(request, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, t := range offered(g.tools(), a) {
		if strings.Contains(t.Name, "_") && slices.Contains(words, t.Name) && len(out) < maxFound {
			out = append(out, t.Name)
		}
	}
	return out
}

// weight is what a tool takes of a prompt, in tokens.
func weight(t *tool.Tool) int {
	const frame = 12 // the keys around it
	return prompt.Estimate(t.Name) + prompt.Estimate(t.Help) + prompt.EstimateSize(len(t.Schema)) + frame
}

type findIn struct {
	Query string `json:"query" doc:"what you want to do, in a few words"`
}

type findOut struct {
	Tools []foundTool `json:"tools"`
	Note  string      `json:"note,omitempty"`
}

type foundTool struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

// maxFound is how many tools one search adds to a prompt.
const maxFound = 6

// finder makes find_tools over the tools of the runner.
func (g *Runner) finder() *tool.Tool {
	s := tool.Spec{
		Name: findTools, Help: "Find tools that you may use but are not shown here. What it finds you can call from then on.",
		Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Everyone: true,
	}
	return tool.Func(s, func(ctx context.Context, c tool.Call, in findIn) (findOut, error) {
		a, err := g.roster.Agent(ctx, c.Agent)
		if err != nil {
			return findOut{}, err
		}
		out := findOut{Tools: []foundTool{}}
		for _, t := range ranked(offered(g.tools(), a), in.Query) {
			out.Tools = append(out.Tools, foundTool{t.Name, t.Help})
		}
		if len(out.Tools) == 0 {
			out.Note = "You have no tool for that; say so."
		}
		return out, nil
	})
}

// ranked returns the tools whose names and helps have most of the words, the best first.
func ranked(list []*tool.Tool, query string) []*tool.Tool {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	score := make(map[string]int)
	for _, t := range list {
		name, help := strings.ToLower(t.Name), strings.ToLower(t.Help)
		for _, w := range words {
			if len(w) < 2 {
				continue
			}
			w = strings.TrimSuffix(w, "s")
			if strings.Contains(name, w) {
				score[t.Name] += 3
			}
			if strings.Contains(help, w) {
				score[t.Name]++
			}
		}
	}
	out := slices.DeleteFunc(slices.Clone(list), func(t *tool.Tool) bool { return score[t.Name] == 0 })
	slices.SortStableFunc(out, func(a, b *tool.Tool) int { return cmp.Compare(score[b.Name], score[a.Name]) })
	return out[:min(len(out), maxFound)]
}

// learn remembers what find_tools found, which the next call of the model shows, and which skills were read.
func (l *loop) learn(plans []plan, results []result) {
	for n, r := range results {
		if r.Name == skill.ReadTool && !r.IsError {
			l.follow(plans[n].call.Args)
		}
		if r.Name != findTools || r.IsError {
			continue
		}
		var out findOut
		if json.Unmarshal([]byte(r.Text), &out) != nil {
			continue // cut: what is there is too long to be a list of six
		}
		for _, t := range out.Tools {
			if !slices.Contains(l.found, t.Name) {
				l.found = append(l.found, t.Name)
			}
		}
	}
}
