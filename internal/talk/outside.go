package talk

import (
	"context"
	"errors"
	"strings"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// The names under which programs that know models find what answers here.
const (
	Controller  = "chela"
	AgentPrefix = "chela/"
	ModelPrefix = "chela/model/"
)

// Named reads the name of a model as programs say it: an agent, "" for the controller, or a model to which
// a call is passed on. A fault.NotFound says that it is none.
func Named(name string) (agent org.AgentID, model string, err error) {
	switch {
	case name == Controller:
		return "", "", nil
	case strings.HasPrefix(name, ModelPrefix) && name != ModelPrefix:
		return "", strings.TrimPrefix(name, ModelPrefix), nil
	case strings.HasPrefix(name, AgentPrefix) && name != AgentPrefix:
		return org.AgentID("agent:" + strings.TrimPrefix(name, AgentPrefix)), "", nil
	}
	return "", "", NoModel(name)
}

// NoModel says that no model has a name.
func NoModel(name string) error {
	return fault.New(fault.NotFound, "The model %q does not exist. GET /v1/models lists those that do: chela, chela/AGENT and chela/model/PROVIDER/MODEL.", name)
}

// Waits is what stands in an answer whose run waits for a person.
func Waits(reason string) string { return "\n\n[Waiting: " + reason + "]\n\n" }

// Ended turns what [Talk.Follow] returned without an answer into an error. When the caller has left, or
// cannot be written to, and leaving ends the run, it is cancelled.
func (t *Talk) Ended(ctx context.Context, reply Reply, err error, by event.Party, leaving bool) error {
	switch {
	case err == nil && ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && (reply.State == run.Failed || reply.State == run.Cancelled):
		return fault.New(fault.Unavailable, "%s", reply.Reply)
	case err == nil && (reply.State == run.Running || reply.State == run.Queued):
		return fault.New(fault.Unavailable, "The agent still works on it. Its answer will be in the conversation %s; go on with it by X-Session-ID.", reply.Thread)
	}
	if err == nil || !leaving || reply.Run == "" || reply.State.Final() {
		return err
	}
	stop := t.Runs.Write(context.WithoutCancel(ctx), func(b *run.Batch) error { return b.Cancel(run.ID(reply.Run), by, "The caller left.") })
	return errors.Join(err, stop)
}

// Spent sums what a run used of models; what is not known is not counted.
func (t *Talk) Spent(ctx context.Context, id run.ID) agent.Spend {
	s, err := t.Store.Spending.Spend(ctx, id)
	if err != nil || id == "" {
		return agent.Spend{}
	}
	return s
}
