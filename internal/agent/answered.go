package agent

import (
	"encoding/json"
	"reflect"

	"chela/internal/event"
	"chela/internal/model"
)

// AnsweredKind records one answer of a model; it is a step, and what usage is
// counted from.
var AnsweredKind = event.Kind[Answered]{Name: "model.answered", PayloadType: "model.answered.v1"}

// An Answered is the payload of model.answered. The text and the calls of an answer are recorded
// in its parts alone.
type Answered struct {
	Agent  string       `json:"agent"`
	Answer model.Answer `json:"answer"`
	// Seen is the newest message of the thread that the call was shown.
	Seen event.Seq `json:"seen,omitempty"`
}

// fields are those of an [Answered] as they are.
type fields Answered

// MarshalJSON implements [json.Marshaler].
func (a Answered) MarshalJSON() ([]byte, error) {
	out, whole := fields(a), a.Answer
	whole.Finish()
	if reflect.DeepEqual(whole, a.Answer) {
		out.Answer.Text, out.Answer.Calls = "", nil
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Answered) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*fields)(a)); err != nil {
		return err
	}
	if got := &a.Answer; got.Text == "" && got.Calls == nil {
		got.Finish()
	}
	return nil
}
