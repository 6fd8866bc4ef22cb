package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chela/internal/channel"
)

// maxReply is more than a hundred updates, the most that come at once, can have.
const maxReply = 32 << 20

// caller asks for methods of the Bot API.
type caller struct {
	base   string
	token  string
	http   *http.Client
	answer time.Duration // how long an answer is waited for
}

// A failure is a call that was not answered, or with no. It never has the token in it.
type failure struct {
	Code    int           // of the answer; 0 when there was none
	Spoken  bool          // the answer is the Bot API's, not a proxy's
	Written bool          // the request may have reached the server
	Text    string        // its words, or ours
	After   time.Duration // when to ask again
	MovedTo int64         // the group's id from now on
	Cause   error
}

func (f *failure) Error() string { return f.Text }

func (f *failure) Unwrap() error { return f.Cause }

// failureOf returns the failure in err's tree, or one that says as much as err.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{Text: err.Error(), Written: true, Cause: err}
}

// verdict is what a failure means for something that was to be sent.
func (f *failure) verdict() error {
	switch {
	case f.Code == 0 && !f.Written:
		return &channel.Refusal{Text: f.Text}
	case f.Code == 0, f.Code == http.StatusOK, f.Code == http.StatusGatewayTimeout:
		return f // nobody knows
	case f.MovedTo != 0:
		return &channel.Refusal{Text: fmt.Sprintf("%s: its id is %d now", f.Text, f.MovedTo), Final: true}
	case f.Code == http.StatusTooManyRequests:
		return &channel.Refusal{Text: f.Text, After: max(f.After, time.Second)}
	case f.Spoken && f.Code >= 400 && f.Code < 500 && f.Code != http.StatusConflict:
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
			return c.failed(err, false)
		}
	}
	return c.post(ctx, hold+c.answer, method, "application/json", body, result)
}

// post is call with a body that is written, within a time.
func (c caller) post(ctx context.Context, within time.Duration, method, kind string, body []byte, result any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ctx, written := channel.Written(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/bot"+c.token+"/"+method, bytes.NewReader(body))
	if err != nil {
		return c.failed(err, false)
	}
	req.Header.Set("Content-Type", kind)
	resp, err := c.http.Do(req)
	if err != nil {
		return c.failed(err, written())
	}
	defer func() { _ = resp.Body.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return c.failed(err, true)
	}
	return c.read(resp.StatusCode, raw, result)
}

func (c caller) read(status int, raw []byte, result any) error {
	var r reply
	if err := json.Unmarshal(raw, &r); err != nil || !r.OK && r.Description == "" {
		return &failure{Code: status, Written: true, Cause: err, Text: fmt.Sprintf("the answer with status %d is none of Telegram's", status)}
	}
	if !r.OK {
		f := &failure{Code: status, Spoken: true, Written: true, Text: c.hide(r.Description), MovedTo: r.Parameters.MigrateToChatID}
		if r.ErrorCode >= 300 {
			f.Code = r.ErrorCode
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
		return &failure{Code: http.StatusOK, Spoken: true, Written: true, Cause: err, Text: "an answer of Telegram cannot be read: " + err.Error()}
	}
	return nil
}

// failed is a call without an answer.
func (c caller) failed(err error, written bool) *failure {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the other half is the address
	}
	text := c.hide(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		text = "no answer in time"
		c.http.CloseIdleConnections() // a dead one of HTTP/2 would be used again
	}
	return &failure{Written: written, Text: text, Cause: errors.New(text)}
}

func (c caller) hide(text string) string { return strings.ReplaceAll(text, c.token, "***") }
