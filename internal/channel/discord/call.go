package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

const (
	// maxReply is more than a hundred messages, the most that come at once, can have.
	maxReply  = 32 << 20
	userAgent = "DiscordBot (https://discord.com/developers/docs, 10)" // the form that the reference asks for
)

// caller asks for what the REST API has.
type caller struct {
	base   string
	token  string
	http   httpcall.Client
	limits *limits
}

// A request is one call.
type request struct {
	method string
	path   string // after the version
	route  string // what of the path counts for limits, and of which chat
	chat   string
	body   []byte
	kind   string // content type of the body
	open   bool   // nobody's token goes with it
}

// A failure is a call that was not answered, or with no. It never has the token in it.
type failure struct {
	httpcall.Failure
	Number int  // Discord's own, of the error
	Spoken bool // the answer is Discord's, not a proxy's
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
	case f.Status == http.StatusTooManyRequests:
		return &channel.Refusal{Text: f.Text, After: max(f.After, 50*time.Millisecond)}
	case f.Status == http.StatusRequestEntityTooLarge:
		return &channel.Refusal{Text: f.words(), Final: true}
	case f.Status >= 400 && f.Status < 500 && f.Status != http.StatusRequestTimeout && f.Spoken:
		return &channel.Refusal{Text: f.words(), Final: true}
	}
	if no := f.Refusal(); no != nil {
		return no
	}
	return f // nobody knows; the nonce keeps the next attempt from making it twice
}

// words are Discord's, with the way out where there is one
// (discord.com/developers/docs/topics/opcodes-and-status-codes#json).
func (f *failure) words() string {
	var out string
	switch {
	case f.Status == http.StatusUnauthorized:
		out = "the token of the bot does not hold any more"
	case f.Number == 10003:
		out = "the chat does not exist any more"
	case f.Number == 10008:
		out = "the message does not exist any more"
	case f.Number == 50001:
		out = "the bot does not see the chat: give it the permission View Channels there"
	case f.Number == 50007:
		out = "the bot may not write to this person: they take no direct messages from it, or share no server with it"
	case f.Number == 50013:
		out = "the bot may not do this in the chat: give it the permissions Send Messages, Send Messages in Threads, Read Message History and Attach Files"
	case f.Number == 200000:
		out = "a rule of AutoMod on the server does not let it through"
	case f.Number == 40005, f.Status == http.StatusRequestEntityTooLarge:
		out = "the file is larger than Discord takes there, which is 10 MB if the server has no more"
	}
	if out == "" {
		return f.Text
	}
	return f.Text + ": " + out
}

// do makes a call and reads its result, which may be nil. An error is a [*failure].
func (c *caller) do(ctx context.Context, q request, result any) error {
	if wait := c.limits.wait(q.key(), q.chat); wait > 0 {
		return &httpcall.Failure{Status: http.StatusTooManyRequests, After: wait, Text: "Discord takes the next one in " + wait.Round(time.Millisecond).String()}
	}
	header := http.Header{"User-Agent": {userAgent}}
	if !q.open {
		header.Set("Authorization", "Bot "+c.token)
	}
	if len(q.body) > 0 {
		header.Set("Content-Type", q.kind)
	}
	out, err := c.http.Do(ctx, httpcall.Request{Method: q.method, Address: c.base + version + q.path, Header: header, Body: q.body})
	if err != nil {
		return err
	}
	c.limits.heed(q.key(), q.chat, out.Header)
	if out.Status >= 200 && out.Status < 300 {
		return c.read(out.Status, out.Body, result)
	}
	f := c.refused(out.Status, out.Header, out.Body)
	if f.Status == http.StatusTooManyRequests && f.After > 0 {
		c.limits.stop(q.key(), q.chat, out.Header, f.After)
	}
	return f
}

func (q request) key() string { return q.method + " " + q.route }

func (c *caller) read(status int, raw []byte, result any) error {
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return &httpcall.Failure{Status: status, Written: true, Cause: err, Text: "an answer of Discord cannot be read"}
	}
	return nil
}

// refused reads an answer that says no.
func (c *caller) refused(status int, h http.Header, raw []byte) *failure {
	var no struct {
		Code    maybe[int]             `json:"code"`
		Message maybe[string]          `json:"message"`
		After   maybe[float64]         `json:"retry_after"`
		Errors  maybe[json.RawMessage] `json:"errors"`
	}
	f := &failure{Failure: httpcall.Failure{Status: status, Written: true, Text: fmt.Sprintf("the answer with status %d is none of Discord's", status)}}
	if err := json.Unmarshal(raw, &no); err == nil && strings.TrimSpace(no.Message.V) != "" {
		f.Spoken, f.Number = true, no.Code.V
		f.Text = oneLine(c.hide(strings.Join(append([]string{no.Message.V}, reasons(no.Errors.V, 0)...), "; ")))
	}
	after := no.After.V
	if after <= 0 {
		after, _ = strconv.ParseFloat(h.Get("Retry-After"), 64) // none is 0
	}
	f.After = seconds(after)
	return f
}

// reasons are the words for single fields, which lie in a tree of the fields' names.
func reasons(raw json.RawMessage, depth int) []string {
	const deepest, most = 8, 3
	var leaf struct {
		Errors maybe[[]struct {
			Message string `json:"message"`
		}] `json:"_errors"`
	}
	var tree map[string]json.RawMessage
	if depth > deepest || len(raw) == 0 || json.Unmarshal(raw, &tree) != nil || json.Unmarshal(raw, &leaf) != nil {
		return nil
	}
	var out []string
	for _, e := range leaf.Errors.V {
		out = append(out, e.Message)
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		for _, why := range reasons(tree[name], depth+1) {
			out = append(out, name+": "+why)
		}
	}
	return out[:min(len(out), most)]
}

// seconds is a number of them, of which Discord gives fractions.
func seconds(n float64) time.Duration {
	const most = float64(24 * 60 * 60)
	if !(n > 0) { //nolint:staticcheck // what is no number is not above 0, either
		return 0
	}
	return time.Duration(min(n, most) * float64(time.Second))
}

func (c *caller) hide(text string) string { return strings.ReplaceAll(text, c.token, "***") }
