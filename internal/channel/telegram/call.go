package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// maxReply is more than a hundred updates, the most that come at once, can have.
const maxReply = 32 << 20

// caller asks for methods of the Bot API.
type caller struct {
	base  string
	token string
	http  httpcall.Client
}

// A failure is a call that was not answered, or with no. It never has the token in it.
type failure struct {
	httpcall.Failure
	Spoken  bool  // the answer is the Bot API's, not a proxy's
	MovedTo int64 // the group's id from now on
}

// failureOf returns the failure in err's tree, or one that says as much as err.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{Failure: *httpcall.FailureOf(err)}
}

// verdict is what a failure means for something that was to be sent.
func (f *failure) verdict() error {
	switch {
	case f.Status == 0 && !f.Written:
		return &channel.Refusal{Text: f.Text}
	case f.Status == 0, f.Status == http.StatusOK, f.Status == http.StatusGatewayTimeout:
		return f // nobody knows
	case f.MovedTo != 0:
		return &channel.Refusal{Text: fmt.Sprintf("%s: its id is %d now", f.Text, f.MovedTo), Final: true}
	case f.Status == http.StatusTooManyRequests:
		return &channel.Refusal{Text: f.Text, After: max(f.After, time.Second)}
	case f.Spoken && f.Status >= 400 && f.Status < 500 && f.Status != http.StatusConflict:
		return &channel.Refusal{Text: f.Text, Final: true}
	}
	return &channel.Refusal{Text: f.Text, After: f.After}
}

// reply is what every method answers with.
type reply struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Description string          `json:"description"`
	ErrorCode   int             `json:"error_code"`
	Parameters  struct {
		RetryAfter      int64 `json:"retry_after"`
		MigrateToChatID int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// call asks for a method and reads its result, which may be nil. An error is a [*failure].
func (c caller) call(ctx context.Context, method string, params, result any) error {
	return c.held(ctx, 0, method, params, result)
}

// held is call for a method that the server may hold for a while before it answers.
func (c caller) held(ctx context.Context, hold time.Duration, method string, params, result any) error {
	body := []byte("{}")
	if params != nil {
		var err error
		if body, err = json.Marshal(params); err != nil {
			return c.http.Failed(err, false)
		}
	}
	return c.post(ctx, hold+c.http.Within, method, "application/json", body, result)
}

// post is call with a body that is written, within a time.
func (c caller) post(ctx context.Context, within time.Duration, method, kind string, body []byte, result any) error {
	out, err := c.http.Do(ctx, httpcall.Request{
		Method: http.MethodPost, Address: c.base + "/bot" + c.token + "/" + method,
		Header: http.Header{"Content-Type": {kind}}, Body: body, Within: within,
	})
	if err != nil {
		return err
	}
	return c.read(out.Status, out.Body, result)
}

func (c caller) read(status int, raw []byte, result any) error {
	var r reply
	if err := json.Unmarshal(raw, &r); err != nil || !r.OK && r.Description == "" {
		return &httpcall.Failure{Status: status, Written: true, Cause: err, Text: fmt.Sprintf("the answer with status %d is none of Telegram's", status)}
	}
	if !r.OK {
		f := &failure{Failure: httpcall.Failure{Status: status, Written: true, Text: c.hide(r.Description)}, Spoken: true, MovedTo: r.Parameters.MigrateToChatID}
		if r.ErrorCode >= 300 {
			f.Status = r.ErrorCode
		}
		if s := r.Parameters.RetryAfter; s > 0 && s < 1<<30 {
			f.After = time.Duration(s) * time.Second
		}
		return f
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		return &httpcall.Failure{Status: http.StatusOK, Written: true, Cause: err, Text: "an answer of Telegram cannot be read: " + err.Error()}
	}
	return nil
}

func (c caller) hide(text string) string { return strings.ReplaceAll(text, c.token, "***") }
