package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/org"
)

// bearer names the way to authenticate.
const bearer sdk.SecuritySchemeName = "bearer"

// reads and writes are the media types of what is taken and given.
var (
	reads  = []string{"text/plain", "text/markdown", "application/json", "text/csv", "image/png", "image/jpeg", "image/gif", "image/webp"} //nolint:gochecknoglobals // a table
	writes = []string{"text/markdown", "text/plain"}                                                                                       //nolint:gochecknoglobals // a table
)

// serveCard answers with the card of the organization or an agent. Who is not known learns that A2A is spoken here and how to
// authenticate, and of an agent no more than they asked for: not whether there is one.
func (d *door) serveCard(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "Only GET is taken here.", http.StatusMethodNotAllowed)
		return
	}
	to := aim{at: origin(r) + root}
	if r.URL.Path != cardPath {
		var err error
		if to, err = d.aim(r); err != nil {
			d.hall.Fail(w, r, err)
			return
		}
	}
	card := d.stranger(to)
	if identified(r) {
		_, err := d.hall.PermitScoped(r, org.Viewer)
		if err == nil {
			card, err = d.card(r.Context(), to)
		}
		if err != nil {
			if fault.KindOf(err) == fault.Unauthenticated {
				w.Header().Set("WWW-Authenticate", challenge)
			}
			d.hall.Fail(w, r, err)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Vary", "Authorization, X-Api-Key, X-Forwarded-Proto, Forwarded")
	_ = json.NewEncoder(w).Encode(both(card, to.at)) // the client is gone
}

// identified reports whether a request brings a token. A cookie is a browser's, which shows cards to nobody.
func identified(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != ""
}

// A scheme is a way to authenticate as clients of both versions read it.
type scheme struct {
	HTTP sdk.HTTPAuthSecurityScheme `json:"httpAuthSecurityScheme"`

	Type        string `json:"type"` // this and what follows is of 0.3
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

// An address of 0.3 says where a binding is spoken.
type address struct {
	URL       string                `json:"url"`
	Transport sdk.TransportProtocol `json:"transport"`
}

// A combined card is one that clients of both versions read.
type combined struct {
	*sdk.AgentCard

	SecuritySchemes map[sdk.SecuritySchemeName]scheme `json:"securitySchemes"`

	ProtocolVersion    sdk.ProtocolVersion                                   `json:"protocolVersion"` // this and what follows is of 0.3
	URL                string                                                `json:"url"`
	PreferredTransport sdk.TransportProtocol                                 `json:"preferredTransport"`
	Additional         []address                                             `json:"additionalInterfaces"`
	Security           []map[sdk.SecuritySchemeName]sdk.SecuritySchemeScopes `json:"security"`
	Extended           bool                                                  `json:"supportsAuthenticatedExtendedCard"`
}

// both returns a card as clients of both versions read it.
func both(c *sdk.AgentCard, at string) combined {
	return combined{
		AgentCard:       c,
		SecuritySchemes: map[sdk.SecuritySchemeName]scheme{bearer: {HTTP: bearerScheme(), Type: "http", Scheme: bearerScheme().Scheme, Description: bearerScheme().Description}},
		ProtocolVersion: a2av0.Version, URL: at, PreferredTransport: sdk.TransportProtocolJSONRPC, Additional: []address{{at, sdk.TransportProtocolJSONRPC}},
		Security: []map[sdk.SecuritySchemeName]sdk.SecuritySchemeScopes{{bearer: {}}}, Extended: c.Capabilities.ExtendedAgentCard,
	}
}

func bearerScheme() sdk.HTTPAuthSecurityScheme {
	return sdk.HTTPAuthSecurityScheme{Scheme: "bearer", Description: "A key of Chela, as `chela key make` makes it, or a person's token."}
}

// stranger is the card for who is not known.
func (d *door) stranger(to aim) *sdk.AgentCard {
	c := &sdk.AgentCard{
		Name: cmp.Or(to.agent, "Chela"), Description: "An organization of agents. Authenticate with a bearer token to see what they do and to give them work.",
		Version: cmp.Or(d.Version, "dev"), DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []sdk.AgentSkill{},
		Capabilities:         sdk.AgentCapabilities{Streaming: true, ExtendedAgentCard: true},
		SecuritySchemes:      sdk.NamedSecuritySchemes{bearer: bearerScheme()},
		SecurityRequirements: sdk.SecurityRequirementsOptions{{bearer: {}}},
		SupportedInterfaces: []*sdk.AgentInterface{
			sdk.NewAgentInterface(to.at, sdk.TransportProtocolJSONRPC),
			sdk.NewAgentInterface(to.at, sdk.TransportProtocolHTTPJSON),
			{URL: to.at, ProtocolBinding: sdk.TransportProtocolJSONRPC, ProtocolVersion: a2av0.Version},
		},
	}
	if to.agent != "" {
		c.Description = "The agent of an organization that has this name. Authenticate with a bearer token to see what it does and to give it work."
	}
	return c
}

// card is the card for who is known.
func (d *door) card(ctx context.Context, to aim) (*sdk.AgentCard, error) {
	c := d.stranger(to)
	c.DefaultInputModes, c.DefaultOutputModes = reads, writes
	if to.agent != "" {
		m, err := d.Talk.Store.Agents.Member(ctx, org.AgentID("agent:"+to.agent))
		if err == nil {
			err = m.Ready()
		}
		if err != nil {
			return nil, err
		}
		c.Name, c.Description, c.Skills = m.Card.Display.Name, describes(m), skills(m)
		return c, nil
	}
	all, err := d.Talk.Store.Agents.Members(ctx)
	if err != nil {
		return nil, err
	}
	c.Description = "An organization of agents. What is said here goes to the agent who does such work; each has an address of its own, " + to.at + "/NAME."
	for _, m := range all {
		if m.Ready() == nil && m.Kind == org.Specialist {
			c.Skills = append(c.Skills, whole(m))
		}
	}
	return c, nil
}

// describes says in a sentence what an agent does.
func describes(m agent.Member) string {
	if m.Card.Display.Desc != "" {
		return m.Card.Display.Desc
	}
	if len(m.Card.Strengths) > 0 {
		return strings.Join(m.Card.Strengths, ", ")
	}
	return "The agent " + m.Card.AgentID.Name() + "."
}

// whole is an agent as one skill of its organization.
func whole(m agent.Member) sdk.AgentSkill {
	s := sdk.AgentSkill{ID: m.Card.AgentID.Name(), Name: m.Card.Display.Name, Description: describes(m), Tags: []string{}}
	for _, c := range m.Card.Capabilities {
		if name, ok := strings.CutPrefix(c.ID, "skill:"); ok {
			s.Tags = append(s.Tags, name)
		}
	}
	return s
}

// skills are what an agent's card says that it can do.
func skills(m agent.Member) []sdk.AgentSkill {
	out := []sdk.AgentSkill{}
	for _, c := range m.Card.Capabilities {
		if name, ok := strings.CutPrefix(c.ID, "skill:"); ok {
			words := strings.NewReplacer("-", " ", "_", " ").Replace(name)
			tags := slices.Clone(c.Tags)
			if len(tags) == 0 {
				tags = []string{name}
			}
			out = append(out, sdk.AgentSkill{ID: c.ID, Name: words, Description: m.Card.Display.Name + " does " + words + ".", Tags: tags})
		}
	}
	if len(out) == 0 {
		return []sdk.AgentSkill{whole(m)}
	}
	return out
}

// GetExtendedAgentCard implements [srv.RequestHandler].
func (d *door) GetExtendedAgentCard(ctx context.Context, _ *sdk.GetExtendedAgentCardRequest) (*sdk.AgentCard, error) {
	c, err := d.card(ctx, aimOf(ctx))
	if err != nil {
		return nil, d.protocols(ctx, err)
	}
	return c, nil
}
