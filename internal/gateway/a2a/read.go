package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	srv "github.com/a2aproject/a2a-go/v2/a2asrv"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
)

// A call is a request of JSON-RPC before the SDK reads it.
type call struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// params are the members of the parameters of all methods, of both versions. What the SDK would read otherwise than they are is
// refused.
type params struct {
	ID            string          `json:"id"`
	Tenant        string          `json:"tenant"`
	TaskID        string          `json:"taskId"`
	ContextID     string          `json:"contextId"`
	HistoryLength *int            `json:"historyLength"`
	Status        string          `json:"status"`
	PageSize      int             `json:"pageSize"`
	PageToken     string          `json:"pageToken"`
	After         string          `json:"statusTimestampAfter"`
	Artifacts     bool            `json:"includeArtifacts"`
	Message       *message        `json:"message"`
	Configuration *configuration  `json:"configuration"`
	Metadata      map[string]any  `json:"metadata"`
	PushConfig    json.RawMessage `json:"pushNotificationConfig"`
}

type configuration struct {
	Accepted      []string        `json:"acceptedOutputModes"`
	Immediately   bool            `json:"returnImmediately"`
	Blocking      *bool           `json:"blocking"` // of 0.3
	HistoryLength *int            `json:"historyLength"`
	Push          json.RawMessage `json:"taskPushNotificationConfig"`
	OlderPush     json.RawMessage `json:"pushNotificationConfig"` // of 0.3
}

type message struct {
	ID         string         `json:"messageId"`
	ContextID  string         `json:"contextId"`
	TaskID     string         `json:"taskId"`
	Role       string         `json:"role"`
	Kind       string         `json:"kind"` // of 0.3
	Parts      []*part        `json:"parts"`
	References []string       `json:"referenceTaskIds"`
	Extensions []string       `json:"extensions"`
	Metadata   map[string]any `json:"metadata"`
}

type part struct {
	Text      *string         `json:"text"`
	Raw       *string         `json:"raw"`
	Data      json.RawMessage `json:"data"`
	URL       *string         `json:"url"`
	Filename  string          `json:"filename"`
	MediaType string          `json:"mediaType"`
	Metadata  map[string]any  `json:"metadata"`
	Kind      string          `json:"kind"` // of 0.3
	File      *file           `json:"file"` // of 0.3
}

type file struct {
	Name     string  `json:"name"`
	MimeType string  `json:"mimeType"`
	Bytes    *string `json:"bytes"`
	URI      *string `json:"uri"`
}

// read checks a request before the SDK reads it: that its version is one that is spoken here, that it can be read in one way only,
// and that its members have the types that they have to have. The error is of the protocol or a fault.Invalid.
func read(raw []byte, header http.Header, to aim) (c call, err error) {
	if v := header.Get(sdk.SvcParamVersion); v != "" && !slices.ContainsFunc([]string{"1.0", "0.3"}, func(known string) bool { return v == known || strings.HasPrefix(v, known+".") }) {
		return c, sdk.NewError(sdk.ErrVersionNotSupported, "The version of A2A is neither 1.0 nor 0.3, which are spoken here.")
	}
	if len(raw) == 0 {
		return c, nil
	}
	if !json.Valid(raw) {
		return c, sdk.NewError(sdk.ErrParseError, "The request is no JSON.")
	}
	if to.under != "" {
		return c, readParams(raw)
	}
	if err := event.CheckRead(raw, reflect.TypeFor[call]()); err != nil {
		return c, invalid(err)
	}
	if err := json.Unmarshal(raw, &c); err != nil || c.JSONRPC != "2.0" || c.Method == "" || !scalar(c.ID) {
		c.ID = nil
		return c, sdk.NewError(sdk.ErrInvalidRequest, "The request is no call of JSON-RPC 2.0: an object with \"jsonrpc\": \"2.0\", a method, and an id that is text or a number.")
	}
	if len(c.Params) == 0 {
		if c.Params = json.RawMessage("{}"); strings.HasSuffix(c.Method, "ExtendedCard") || strings.HasSuffix(c.Method, "ExtendedAgentCard") {
			return c, nil
		}
	}
	return c, readParams(c.Params)
}

// scalar reports whether an id is left out, null, text or a number.
func scalar(id json.RawMessage) bool {
	return len(id) == 0 || string(id) == "null" || !bytes.ContainsAny(id[:1], "{[tf")
}

// invalid is what is wrong with a whole request, as the protocol's error.
func invalid(err error) error { return sdk.NewError(sdk.ErrInvalidRequest, fault.TextOf(err)) }

// readParams checks the parameters of a method.
func readParams(raw []byte) error {
	if err := event.CheckRead(raw, reflect.TypeFor[params]()); err != nil {
		return err
	}
	var p params
	if err := json.Unmarshal(raw, &p); err != nil {
		return gateway.Unread(err)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return fault.New(fault.Invalid, "The parameters are no object.")
	}
	if p.Message == nil {
		return nil
	}
	for _, part := range p.Message.Parts {
		if err := part.check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a part that is not one thing.
func (p *part) check() error {
	n := 0
	if p != nil {
		for _, there := range []bool{p.Text != nil, p.Raw != nil, len(p.Data) > 0 && string(p.Data) != "null", p.URL != nil, p.File != nil} {
			if there {
				n++
			}
		}
		if p.File != nil && (p.File.Bytes != nil) == (p.File.URI != nil) {
			n = 0
		}
	}
	if n != 1 {
		return fault.BadField("parts", "A part of a message is one thing.", "text", "raw", "data", "url")
	}
	return nil
}

// protocols is an error as the protocol's, with the sentence that people read.
func (d *door) protocols(ctx context.Context, err error) error {
	if own, ok := errors.AsType[*sdk.Error](err); ok {
		return own
	}
	p := d.hall.Problem(ctx, err)
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok && (p.Status == http.StatusTooManyRequests || aimOf(ctx).under != "" && p.Status == http.StatusServiceUnavailable) {
		o.problem.Store(&p)
	}
	as := sdk.ErrInternalError
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound, fault.TooLarge:
		as = sdk.ErrInvalidParams
	case fault.Unauthenticated:
		as = sdk.ErrUnauthenticated
	case fault.Denied:
		as = sdk.ErrUnauthorized
	case fault.Conflict:
		as = sdk.ErrUnsupportedOperation
	case fault.Unavailable:
		as = sdk.ErrServerError
	case fault.Internal:
	}
	return sdk.NewError(as, p.Detail)
}

// GetTask implements [srv.RequestHandler].
func (r refusal) GetTask(context.Context, *sdk.GetTaskRequest) (*sdk.Task, error) { return nil, r.err }

var _ srv.RequestHandler = (*door)(nil)
