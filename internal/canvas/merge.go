package canvas

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/fault"
)

// A Splice is a piece of a text that was replaced. Places are those of the text before.
type Splice struct {
	At  int    `json:"at"`
	Was string `json:"was,omitempty"`
	Now string `json:"now,omitempty"`
}

// Splices say how a text became another, by lines, in order.
func Splices(before, after string) []Splice {
	var out []Splice
	for _, e := range udiff.Lines(before, after) {
		out = append(out, Splice{At: e.Start, Was: before[e.Start:e.End], Now: e.New})
	}
	return out
}

// Play is a text with splices made.
func Play(src string, splices []Splice) (string, error) {
	return spliced(src, splices, func(s Splice) (string, string) { return s.Was, s.Now }, func(Splice) int { return 0 })
}

// Back is a text with splices taken back.
func Back(src string, splices []Splice) (string, error) {
	return spliced(src, splices, func(s Splice) (string, string) { return s.Now, s.Was }, func(s Splice) int { return len(s.Now) - len(s.Was) })
}

func spliced(src string, splices []Splice, sides func(Splice) (from, to string), grows func(Splice) int) (string, error) {
	var b strings.Builder
	at, shift := 0, 0
	for _, s := range splices {
		from, to := sides(s)
		start := s.At + shift
		if start < at || start > len(src) || !strings.HasPrefix(src[start:], from) {
			return "", fault.New(fault.Internal, "An edit of the draft does not fit its text.")
		}
		b.WriteString(src[at:start] + to)
		at, shift = start+len(from), shift+grows(s)
	}
	b.WriteString(src[at:])
	return b.String(), nil
}

// Merge brings a text together with what became of its base meanwhile. ok is false when both changed the same
// lines.
func Merge(base, now, text string) (merged string, ok bool) {
	switch {
	case base == now:
		return text, true
	case base == text || now == text:
		return now, true
	}
	edits, ok := udiff.Merge(udiff.Lines(base, now), udiff.Lines(base, text))
	if !ok {
		return "", false
	}
	merged, err := udiff.Apply(base, edits)
	return merged, err == nil
}

// An Edit is one that was made to a draft.
type Edit struct {
	Revision   int
	By         string // for people
	Operations []Operation
}

// Rebase makes operations that were planned on an earlier revision fit what edits made of it since, oldest first:
// steps that were renamed are followed. A step that is gone is a fault.Conflict that says who deleted it.
func Rebase(ops []Operation, since []Edit) ([]Operation, error) {
	out := slices.Clone(ops)
	own := make(map[string]bool) // what the operations create themselves
	for i := range out {
		op := &out[i]
		for _, e := range since {
			for _, done := range e.Operations {
				if err := op.follow(done, e, own, i); err != nil {
					return nil, err
				}
			}
		}
		if op.Op == CreateNode && op.ID != "" {
			own[joined(op.In, op.ID)] = true
		}
		if op.Op == RenameNode && op.ID != "" {
			in, _ := cutLast(op.Node)
			own[joined(in, op.ID)] = true
		}
	}
	return out, nil
}

// follow makes op fit after an operation that was done before it.
func (op *Operation) follow(done Operation, e Edit, own map[string]bool, i int) error {
	in, id := cutLast(done.Node)
	for _, p := range []*string{&op.Node, &op.From, &op.To, &op.In} {
		below, touched := strings.CutPrefix(*p, done.Node)
		if done.Node == "" || !touched || below != "" && below[0] != '.' || own[*p] {
			continue
		}
		switch done.Op {
		case DeleteNode:
			return fault.New(fault.Conflict, "%s deleted the step %s in revision %d, so operation %d (%s) cannot be made; nothing was changed.", e.By, done.Node, e.Revision, i+1, op)
		case RenameNode:
			*p = joined(in, done.ID) + below
		case CreateNode, ConnectNodes, DisconnectNodes, UpdateProperty, MoveNode, CreateFile, DeleteFile:
		}
	}
	if op.Op != CreateNode || op.In != in {
		return nil
	}
	switch done.Op {
	case RenameNode:
		if op.After == id {
			op.After = done.ID
		}
		for k, n := range op.Needs {
			if n == id || strings.HasPrefix(n, id+".") {
				op.Needs = slices.Clone(op.Needs)
				op.Needs[k] = done.ID + strings.TrimPrefix(n, id)
			}
		}
	case DeleteNode:
		if op.After == id {
			op.After = ""
		}
		for _, n := range op.Needs {
			if n == id || strings.HasPrefix(n, id+".") {
				return fault.New(fault.Conflict, "%s deleted the step %s in revision %d, which the new step %s follows; nothing was changed.", e.By, done.Node, e.Revision, op.ID)
			}
		}
	case CreateNode, ConnectNodes, DisconnectNodes, UpdateProperty, MoveNode, CreateFile, DeleteFile:
	}
	return nil
}

func cutLast(path string) (in, id string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}
