// Package outside calls hooks that are not part of Chela: programs, in the sandbox of a
// [tool.Runner], and services over HTTP, signed with a secret of the vault.
package outside

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/hook"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

// maxAnswer bounds what a hook answers, in bytes.
const maxAnswer = 256 << 10

// Denied is the exit code with which a program denies; what it wrote to stderr is why.
const Denied = 2

// A Command is a program: it reads the call as JSON and may write an answer as JSON.
type Command struct {
	Runner tool.Runner
	Argv   []string
	Folder string // where it starts, with its own files
}

// Call implements [hook.Target].
func (c Command) Call(ctx context.Context, in hook.Call) (hook.Answer, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return hook.Answer{}, fmt.Errorf("encode for a hook: %w", err)
	}
	j := tool.Job{Argv: c.Argv, Stdin: raw, Dir: c.Folder, Folders: []disk.Grant{{Path: c.Folder}}}
	if end, ok := ctx.Deadline(); ok {
		j.Limits.Time = max(time.Until(end), time.Millisecond)
	}
	exit, err := c.Runner.Run(ctx, j)
	switch {
	case err != nil:
		return hook.Answer{}, err
	case exit.Code == Denied:
		return hook.Answer{Deny: reason(exit.Stderr)}, nil
	case exit.Code != 0:
		return hook.Answer{}, fault.New(fault.Unavailable, "%s ended with exit code %d: %s", c.Argv[0], exit.Code, strings.TrimSpace(exit.Stderr))
	}
	return answer([]byte(exit.Stdout))
}

// reason is why a hook denies, in its words if it has any.
func reason(words string) string {
	return cmp.Or(strings.TrimSpace(words), "it gave no reason.")
}

// answer reads what a hook answers; nothing lets things be. One that has the key deny denies, with or without a reason.
func answer(raw []byte) (hook.Answer, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return hook.Answer{}, nil
	}
	var a struct {
		Deny *string         `json:"deny"`
		Data json.RawMessage `json:"data"`
	}
	if err := event.DecodeStrict(raw, &a); err != nil {
		return hook.Answer{}, fault.Wrap(err, fault.Invalid, "Its answer does not fit: %s", fault.TextOf(err))
	}
	if a.Deny != nil {
		return hook.Answer{Deny: reason(*a.Deny), Data: a.Data}, nil
	}
	return hook.Answer{Data: a.Data}, nil
}

// SignatureHeader carries the HMAC-SHA256 of the body, in hexadecimal after "sha256=".
const SignatureHeader = "X-Chela-Signature"

// A Service gets the call as a POST.
type Service struct {
	URL     string
	Secret  string // the name of what signs; "" signs nothing
	Secrets func(ctx context.Context, name string) (string, error)
	Reach   func(ctx context.Context) (netaddr.Reach, error) // which addresses may be connected to
}

// Call implements [hook.Target]. It follows no redirect and goes through no proxy.
func (s Service) Call(ctx context.Context, in hook.Call) (hook.Answer, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return hook.Answer{}, fmt.Errorf("encode for a hook: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(raw))
	if err != nil {
		return hook.Answer{}, fault.Wrap(err, fault.Invalid, "Its address cannot be read.")
	}
	req.Header.Set("Content-Type", "application/json")
	if s.Secret != "" {
		key, err := s.Secrets(ctx, s.Secret)
		if err != nil {
			return hook.Answer{}, err
		}
		sum := hmac.New(sha256.New, []byte(key))
		sum.Write(raw)
		req.Header.Set(SignatureHeader, "sha256="+hex.EncodeToString(sum.Sum(nil)))
	}
	reach, err := s.Reach(ctx)
	if err != nil {
		return hook.Answer{}, err
	}
	transport := &http.Transport{DialContext: (&net.Dialer{Control: reach.Control}).DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return hook.Answer{}, fault.Wrap(err, fault.Unavailable, "%s cannot be reached: %s", req.URL.Host, err)
	}
	defer func() { _ = res.Body.Close() }() // it is read
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return hook.Answer{}, fault.Wrap(err, fault.Unavailable, "%s broke off its answer.", req.URL.Host)
	case res.StatusCode/100 != 2:
		return hook.Answer{}, fault.New(fault.Unavailable, "%s answered with the status %d.", req.URL.Host, res.StatusCode)
	}
	return answer(body)
}
