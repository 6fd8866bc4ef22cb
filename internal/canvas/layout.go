package canvas

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"chela/internal/fault"
)

// drawing is a canvas as bundles have it: nodes with positions, and edges. Only positions are read back; what the
// workflow does is in its file.
type drawing struct {
	Nodes []drawnNode `json:"nodes"`
	Edges []drawnEdge `json:"edges"`
}

type drawnNode struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	ParentID string    `json:"parentId,omitempty"`
	Position *Position `json:"position,omitempty"`
	Data     struct {
		Label string `json:"label"`
	} `json:"data"`
}

type drawnEdge struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Target string `json:"target"`
	Label  string `json:"label,omitempty"`
}

// File writes the canvas of a draft as a bundle has it, in JSON.
func File(d Draft) ([]byte, error) {
	g, err := Draw(d, nil)
	if err != nil {
		return nil, err
	}
	out := drawing{Nodes: []drawnNode{}, Edges: []drawnEdge{}}
	for _, n := range g.Nodes {
		drawn := drawnNode{ID: n.Path, Type: string(n.Kind), ParentID: n.In, Position: n.Position}
		drawn.Data.Label = cmp.Or(n.Title, n.ID)
		out.Nodes = append(out.Nodes, drawn)
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, drawnEdge{ID: fmt.Sprintf("%s>%s", need(e.From, e.Outcome), e.To), Source: e.From, Target: e.To, Label: e.Outcome})
	}
	return json.MarshalIndent(out, "", "  ")
}

// ReadLayout reads where nodes stand from the canvas of a bundle; nil is that it does not say.
func ReadLayout(raw []byte) (Layout, error) {
	if len(raw) == 0 {
		return nil, nil //nolint:nilnil // it does not say
	}
	var in drawing
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The canvas of the bundle cannot be read.")
	}
	var out Layout
	for _, n := range in.Nodes {
		if n.Position == nil || n.ID == "" || len(n.ID) > 300 || len(out) >= Most || math.Abs(n.Position.X) > mostAway || math.Abs(n.Position.Y) > mostAway {
			continue
		}
		if out == nil {
			out = make(Layout)
		}
		out[n.ID] = *n.Position
	}
	return out, nil
}
