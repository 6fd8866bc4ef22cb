package channel

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// hiring is a store in which an agent is there only after some looks.
type hiring struct {
	Log
	mint  *event.Mint
	looks int // until it is there
}

func (h *hiring) Mint() *event.Mint { return h.mint }

func (h *hiring) Agent(_ context.Context, id org.AgentID) (org.Agent, error) {
	if h.looks--; id == "agent:pm" && h.looks < 0 {
		return org.Agent{}, nil
	}
	return org.Agent{}, fault.New(fault.NotFound, "The agent %s does not exist.", id)
}

// TestLine_AgentThatIsMissing: it is said once, nothing is tried meanwhile, and the channel goes on
// when the agent is there.
func TestLine_AgentThatIsMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		s := &hiring{mint: event.NewMint(time.Now()), looks: 30}
		l := &line{c: &Channels{Parts: Parts{Store: Store{Log: s, Agents: s}, Log: slog.New(slog.NewTextHandler(&said, nil))}}, options: Options{Name: "portal", Agent: "agent:pm"}}
		began := time.Now()
		l.awaitAgent(t.Context())
		if n := strings.Count(said.String(), "does not exist"); n != 1 || l.status.State != Broken || !strings.Contains(l.status.Problem, "the agent pm, which does not exist") {
			t.Errorf("it was said %d times, and the channel is %+v; want once, and why", n, l.status)
		}
		if waited := time.Since(began); waited != 30*agentEvery {
			t.Errorf("it was waited for %v, want %v", waited, 30*agentEvery)
		}
		l.awaitAgent(t.Context())
		if strings.Count(said.String(), "does not exist") != 1 {
			t.Errorf("an agent that is there is said to be missing: %s", said.String())
		}
	})
}
