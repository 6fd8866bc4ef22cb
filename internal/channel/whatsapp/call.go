package whatsapp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
)

// maxReply is more than any answer that we ask for can have.
const maxReply = 1 << 20

// caller asks for what the Graph API has (developers.facebook.com/docs/graph-api/overview).
type caller struct {
	base    *url.URL
	version string
	token   string
	proof   string // that we have the app's secret, too
	http    *http.Client
	answer  time.Duration // how long an answer is waited for
}

// proofOf is what shows with each call that it is the app's own
// (developers.facebook.com/docs/graph-api/guides/secure-requests).
func proofOf(token string, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}

// A failure is a call that was not answered, or with no. It never has the token in it.
type failure struct {
	Status    int           // of HTTP; 0 when there was no answer
	Spoken    bool          // the answer is the Graph API's, not a proxy's
	Code      int           // of the Graph API
	Transient bool          // it says that asking again may help
	Written   bool          // the request may have reached WhatsApp
	Text      string        // what went wrong, and the way out
	After     time.Duration // when to ask again
	Cause     error
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

// verdictWeight is what follows from what WhatsApp said.
func (f *failure) verdictWeight() weight {
	w := meaning(f.Code).weight
	if w == never && (f.Transient || f.Status == http.StatusTooManyRequests) {
		return later
	}
	if w == never && f.Status >= http.StatusInternalServerError && meaning(f.Code).words == "" {
		return unclear
	}
	return w
}

// verdict is what a failure means for something that was to be sent.
func (f *failure) verdict() error {
	switch {
	case f.Status == 0 && !f.Written && !f.Spoken:
		return &channel.Refusal{Text: f.Text}
	case f.Spoken:
		switch f.verdictWeight() {
		case unclear:
			return f
		case later:
			return &channel.Refusal{Text: f.Text, After: max(f.After, meaning(f.Code).after, time.Second)}
		case mended:
			return &channel.Refusal{Text: f.Text, After: 5 * time.Minute}
		case never:
			return &channel.Refusal{Text: f.Text, Final: true}
		}
	case f.Status == http.StatusTooManyRequests:
		return &channel.Refusal{Text: f.Text, After: max(f.After, time.Second)}
	case f.Status >= 300 && f.Status < 500 && f.Status != http.StatusRequestTimeout:
		return &channel.Refusal{Text: f.Text, After: f.After} // a proxy's no
	}
	return f // nobody knows
}

// nothingSeen is a refusal, whatever failed.
func nothingSeen(err error) error {
	f := failureOf(err)
	if r, ok := errors.AsType[*channel.Refusal](f.verdict()); ok {
		return r
	}
	return &channel.Refusal{Text: f.Text, After: f.After}
}

// A trouble is an error of the Graph API, in an answer or in a webhook
// (developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes).
type trouble struct {
	Code      digits `json:"code"`
	Subcode   digits `json:"error_subcode"`
	Title     string `json:"title"`
	Message   string `json:"message"`
	Transient bool   `json:"is_transient"`
	Data      loose[struct {
		Details string `json:"details"`
	}] `json:"error_data"`
}

// text is what an error says, and the way out.
func (t trouble) text() string {
	said := t.Title
	if said == "" {
		said = t.Message
	}
	out := oneLine(said)
	if n := strconv.FormatInt(int64(t.Code), 10); t.Code != 0 && !strings.Contains(out, n) {
		out += " (" + n + ")"
	}
	if d := oneLine(t.Data.V.Details); d != "" && !strings.Contains(out, d) {
		out += ": " + strings.TrimRight(d, ".")
	}
	if words := meaning(int(t.Code)).words; words != "" {
		out += ". " + words
	}
	return strings.TrimSpace(out)
}

// get asks for the fields of a thing by its id. An error of these is a [*failure].
func (c caller) get(ctx context.Context, id string, args url.Values, result any) error {
	return c.do(ctx, c.answer, http.MethodGet, c.at(id, args), "", nil, result)
}

// post hands a thing in as JSON.
func (c caller) post(ctx context.Context, path string, what, result any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return c.failed(err, false)
	}
	return c.do(ctx, c.answer, http.MethodPost, c.at(path, nil), "application/json", body, result)
}

// at is the address of a path.
func (c caller) at(path string, args url.Values) string {
	if args == nil {
		args = url.Values{}
	}
	args.Set("appsecret_proof", c.proof)
	return c.base.String() + "/" + c.version + "/" + path + "?" + args.Encode()
}

func (c caller) do(ctx context.Context, patience time.Duration, method, at, kind string, body []byte, result any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ctx, written := channel.Written(ctx)
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return c.failed(err, false)
	}
	c.sign(req)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.failed(err, written())
	}
	defer func() { _ = resp.Body.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return c.failed(err, true)
	}
	return c.read(resp, raw, result)
}

func (c caller) sign(req *http.Request) {
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("User-Agent", "chela")
}

func (c caller) read(resp *http.Response, raw []byte, result any) error {
	var no struct {
		Error *trouble `json:"error"`
	}
	err := json.Unmarshal(raw, &no)
	if err == nil && no.Error != nil {
		if no.Error.Code == 0 && resp.StatusCode == http.StatusUnauthorized {
			no.Error.Code = codeToken // "AuthException" has none
		}
		return &failure{
			Status: resp.StatusCode, Spoken: true, Code: int(no.Error.Code), Transient: no.Error.Transient,
			Written: true, Text: c.hide(no.Error.text()), After: waitOf(resp.Header),
		}
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		return &failure{Status: resp.StatusCode, Written: true, Cause: err, After: waitOf(resp.Header), Text: fmt.Sprintf("the answer with status %d is none of WhatsApp's", resp.StatusCode)}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return &failure{Status: http.StatusOK, Written: true, Cause: err, Text: "an answer of WhatsApp cannot be read: " + err.Error()}
	}
	return nil
}

// waitOf reads Retry-After, whole seconds, at most an hour.
func waitOf(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(min(s, 3600)) * time.Second
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

func (c caller) hide(text string) string {
	return strings.NewReplacer(c.token, "***", c.proof, "***").Replace(text)
}
