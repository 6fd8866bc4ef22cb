package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/talk"
	openai "chela/internal/wire/openai"
)

func (d *door) embeddings(w http.ResponseWriter, r *http.Request) error {
	caller, raw, err := d.hall.Take(r, org.Editor, mostBytes)
	if err != nil {
		return err
	}
	in, err := readOnly(raw)
	if err != nil {
		return err
	}
	_, model, err := talk.Named(in.Model)
	if err == nil && model == "" {
		err = fault.BadField("model", "An agent makes no embeddings. Name a model as chela/model/PROVIDER/MODEL.")
	}
	if err != nil {
		return err
	}
	return d.forward(w, r, caller, model, "/embeddings", raw, false)
}

// mostAnswers is how many answers a call may ask for, as the API has it.
const mostAnswers = 128

// forward passes a call on to a model, as long as its caller may ask: one whose key is revoked hears no more of the answer.
func (d *door) forward(w http.ResponseWriter, r *http.Request, caller gateway.Caller, name, path string, raw []byte, streams bool) error {
	return d.hall.While(w, r, caller, org.Editor, func(w http.ResponseWriter, r *http.Request) error {
		return d.pass(w, r, caller, name, path, raw, streams)
	})
}

// pass hands a call on to a model. What the caller sent goes as it is, but for the model's name, a bound
// of the answer when the organization's budget has less room, and that a stream ends with its usage.
func (d *door) pass(w http.ResponseWriter, r *http.Request, caller gateway.Caller, name, path string, raw []byte, streams bool) error {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return gateway.Unread(err)
	}
	if err := event.CheckSpelling(body, "", "model", "stream", "n", "max_tokens", "max_completion_tokens", "max_output_tokens", "stream_options"); err != nil {
		return err
	}
	var asked struct {
		N                   int                   `json:"n"`
		MaxTokens           int                   `json:"max_tokens"`
		MaxCompletionTokens int                   `json:"max_completion_tokens"`
		MaxOutputTokens     int                   `json:"max_output_tokens"`
		StreamOptions       *openai.StreamOptions `json:"stream_options"`
	}
	if err := json.Unmarshal(raw, &asked); err != nil {
		return gateway.Unread(err)
	}
	if asked.N < 0 || asked.N > mostAnswers {
		return fault.BadField("n", fmt.Sprintf("A call asks for 1 to %d answers.", mostAnswers))
	}
	if min(asked.MaxTokens, asked.MaxCompletionTokens, asked.MaxOutputTokens) < 0 { // some servers take that for no bound
		return fault.BadField("max_tokens", "The most tokens of an answer are a number from 1 on.")
	}
	chat := path == "/chat/completions"
	quiet := chat && streams && (asked.StreamOptions == nil || !asked.StreamOptions.IncludeUsage)
	began := false
	err := d.talk.Forward(r.Context(), talk.Forward{
		By: caller.Party(), Name: name, Kind: model.KindOpenAI, Path: path, Header: r.Header, Size: len(raw), Most: max(asked.MaxTokens, asked.MaxCompletionTokens, asked.MaxOutputTokens), Count: asked.N,
		Write: func(model string, most int) ([]byte, error) {
			set := func(name string, v any) (err error) {
				body[name], err = json.Marshal(v)
				return err
			}
			if err := set("model", model); err != nil {
				return nil, err
			}
			if quiet {
				if err := set("stream_options", openai.StreamOptions{IncludeUsage: true}); err != nil {
					return nil, err
				}
			}
			if most > 0 && path == "/responses" && (asked.MaxOutputTokens > most || asked.MaxOutputTokens == 0) {
				if err := set("max_output_tokens", most); err != nil {
					return nil, err
				}
			}
			if most > 0 && chat && (asked.MaxTokens > most || asked.MaxCompletionTokens > most || asked.MaxTokens+asked.MaxCompletionTokens == 0) {
				delete(body, "max_tokens")
				if err := set("max_completion_tokens", most); err != nil {
					return nil, err
				}
			}
			return json.Marshal(body)
		},
		Deliver: func(res model.Forwarded) (model.Usage, error) {
			began = true
			return deliver(w, res, quiet, path)
		},
	})
	if began {
		return nil // its answer has been given, whatever it was
	}
	return err
}

// deliver hands the answer of a path on, and reads what it used. quiet takes the usage out that the caller did not ask for.
func deliver(w http.ResponseWriter, res model.Forwarded, quiet bool, path string) (used model.Usage, err error) {
	broken := gateway.Event{Data: `{"error":{"type":"server_error","code":null,"message":"` + gateway.BrokeOff + `"}}`}
	if path == "/responses" {
		broken = gateway.Event{Name: "error", Data: `{"type":"error","code":"server_error","message":"` + gateway.BrokeOff + `","param":null}`}
	}
	err = gateway.Relay(w, res.Response, func(data []byte) (send bool) {
		u := usageIn(data)
		if u != (model.Usage{}) {
			used = u
		}
		return u == (model.Usage{}) || !quiet || !bytes.Contains(data, []byte(`"choices":[]`))
	}, broken)
	return used, err
}

// usageIn reads the usage of an answer or of a chunk, in the form of either API; what is none has none.
func usageIn(raw []byte) model.Usage {
	if !bytes.Contains(raw, []byte(`"usage"`)) {
		return model.Usage{}
	}
	var in struct {
		Usage    *used `json:"usage"`
		Response struct {
			Usage *used `json:"usage"`
		} `json:"response"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return model.Usage{}
	}
	u := cmp.Or(in.Usage, in.Response.Usage)
	if u == nil {
		return model.Usage{}
	}
	cached := u.PromptTokensDetails.CachedTokens + u.InputDetails.Cached
	return model.Usage{InputTokens: u.PromptTokens + u.Input - cached, CacheReadTokens: cached, OutputTokens: u.CompletionTokens + u.Output}
}

// used is a usage in the form of either API.
type used struct {
	openai.Usage
	openai.MadeUsage
}
