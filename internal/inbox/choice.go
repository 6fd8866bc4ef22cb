package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/org"
	"chela/internal/session"
)

// Models knows which models can be asked, as provider/model.
type Models interface {
	Names() []string
}

// byDefault is the name with which a conversation goes back to what is usual.
const byDefault = "default"

func (in *Inbox) agent(ctx context.Context, m *Message, wanted string) (*reply, error) {
	all, err := in.records.Members.Agents(ctx)
	if err != nil {
		return nil, err
	}
	if wanted = strings.TrimPrefix(strings.ToLower(wanted), "@"); wanted == byDefault {
		none := ""
		return &reply{text: "From now on the controller chooses who answers.", changed: session.Changed{Agent: &none}}, nil
	}
	var names []string
	for _, a := range all {
		if a.Ready() == nil && a.Kind == org.Specialist {
			names = append(names, a.Card.AgentID.Name())
		}
	}
	slices.Sort(names)
	there := "There are: " + strings.Join(names, ", ") + "."
	switch {
	case wanted == "":
		s, _, err := in.session(ctx, m)
		now := "The controller chooses who answers."
		if s.Agent != "" {
			now = fmt.Sprintf("%s answers in this conversation.", org.AgentID(s.Agent).Name())
		}
		return &reply{text: now + " " + there}, err
	case !slices.Contains(names, wanted):
		return &reply{text: fmt.Sprintf("There is no agent named %q that can be spoken to. %s", wanted, there)}, nil
	}
	id := "agent:" + wanted
	return &reply{text: fmt.Sprintf("From now on %s answers in this conversation.", wanted), changed: session.Changed{Agent: &id}}, nil
}

func (in *Inbox) model(ctx context.Context, m *Message, wanted string) (*reply, error) {
	names := in.opts.Models.Names()
	there := "There are: " + strings.Join(names, ", ") + "."
	if len(names) == 0 {
		there = "None is configured; `chela setup` adds one."
	}
	switch wanted {
	case "":
		s, _, err := in.session(ctx, m)
		now := "Each agent asks its own model."
		if s.Model != "" {
			now = fmt.Sprintf("The agents of this conversation ask %s.", s.Model)
		}
		return &reply{text: now + " " + there}, err
	case byDefault:
		none := ""
		return &reply{text: "From now on each agent asks its own model.", changed: session.Changed{Model: &none}}, nil
	}
	i := slices.IndexFunc(names, func(n string) bool {
		_, model, _ := strings.Cut(n, "/")
		return strings.EqualFold(n, wanted) || strings.EqualFold(model, wanted)
	})
	if i < 0 {
		return &reply{text: fmt.Sprintf("There is no model named %q. %s", wanted, there)}, nil
	}
	return &reply{text: fmt.Sprintf("From now on the agents of this conversation ask %s.", names[i]), changed: session.Changed{Model: &names[i]}}, nil
}
