package api

import (
	"context"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/talk"
)

// ClientResultsBody are what a program got from calls that it made for an agent.
type ClientResultsBody struct {
	Results []ClientResult `json:"results" minItems:"1" maxItems:"128" doc:"of all calls of one session.client_calls"`
}

// ClientResult is what came of one call.
type ClientResult struct {
	Call   string `json:"callId" doc:"as session.client_calls names it"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// returned takes results. They are data from outside, as those of programs are that speak other APIs.
func (a *api) returned(ctx context.Context, in *struct {
	IDPath
	Body ClientResultsBody
},
) (*Body[inbox.Accepted], error) {
	results := make([]talk.ClientResult, len(in.Body.Results))
	for i, r := range in.Body.Results {
		if of, ok := agent.RunOfClientCall(r.Call); !ok || of != run.ID(in.ID) {
			return nil, fault.BadField("results", "The run "+in.ID+" asked for no call "+r.Call+".")
		}
		results[i] = talk.ClientResult{Call: r.Call, Text: r.Text, Failed: r.Failed}
	}
	m := talk.Message{Message: inbox.Message{From: party(ctx), Channel: gateway.CallerOf(ctx).How.Channel()}}
	known, err := a.Talk.Known(ctx, m.From, results)
	if err == nil && !known {
		err = fault.New(fault.NotFound, "The run %s waits for no results of yours.", in.ID)
	}
	if err != nil {
		return nil, err
	}
	return body(a.Talk.Return(ctx, m, results))
}
