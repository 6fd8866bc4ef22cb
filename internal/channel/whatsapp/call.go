package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// maxReply is more than any answer that we ask for can have.
const maxReply = 1 << 20

// caller asks for what the Graph API has (developers.facebook.com/docs/graph-api/overview).
type caller struct {
	base    *url.URL
	version string
	token   string
	proof   string // that we have the app's secret, too
	http    httpcall.Client
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
	httpcall.Failure
	Spoken    bool // the answer is the Graph API's, not a proxy's
	Code      int  // of the Graph API
	Transient bool // it says that asking again may help
}

// failureOf returns the failure in err's tree, or one that says as much as err.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{Failure: *httpcall.FailureOf(err)}
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
	if !f.Spoken {
		if no := f.Refusal(); no != nil {
			return no
		}
		return f // nobody knows
	}
	switch f.verdictWeight() {
	case later:
		return &channel.Refusal{Text: f.Text, After: max(f.After, meaning(f.Code).after, time.Second)}
	case mended:
		return &channel.Refusal{Text: f.Text, After: 5 * time.Minute}
	case never:
		return &channel.Refusal{Text: f.Text, Final: true}
	case unclear:
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
	return c.do(ctx, c.http.Within, http.MethodGet, c.at(id, args), "", nil, result)
}

// post hands a thing in as JSON.
func (c caller) post(ctx context.Context, path string, what, result any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return c.http.Failed(err, false)
	}
	return c.do(ctx, c.http.Within, http.MethodPost, c.at(path, nil), "application/json", body, result)
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
	header := c.header()
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	out, err := c.http.Do(ctx, httpcall.Request{Method: method, Address: at, Header: header, Body: body, Within: patience})
	if err != nil {
		return err
	}
	return c.read(out, result)
}

// header is what shows with a request that it is ours.
func (c caller) header() http.Header {
	return http.Header{"Authorization": {"Bearer " + c.token}, "User-Agent": {"chela"}}
}

func (c caller) read(out httpcall.Answer, result any) error {
	var no struct {
		Error *trouble `json:"error"`
	}
	err := json.Unmarshal(out.Body, &no)
	if err == nil && no.Error != nil {
		if no.Error.Code == 0 && out.Status == http.StatusUnauthorized {
			no.Error.Code = codeToken // "AuthException" has none
		}
		return &failure{
			Failure: httpcall.Failure{Status: out.Status, Written: true, Text: c.hide(no.Error.text()), After: httpcall.RetryAfter(out.Header)},
			Spoken:  true, Code: int(no.Error.Code), Transient: no.Error.Transient,
		}
	}
	if err != nil || out.Status != http.StatusOK {
		return &httpcall.Failure{Status: out.Status, Written: true, Cause: err, After: httpcall.RetryAfter(out.Header), Text: fmt.Sprintf("the answer with status %d is none of WhatsApp's", out.Status)}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(out.Body, result); err != nil {
		return &httpcall.Failure{Status: http.StatusOK, Written: true, Cause: err, Text: "an answer of WhatsApp cannot be read: " + err.Error()}
	}
	return nil
}

func (c caller) hide(text string) string {
	return strings.NewReplacer(c.token, "***", c.proof, "***").Replace(text)
}
