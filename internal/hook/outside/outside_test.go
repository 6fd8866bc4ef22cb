package outside_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/hook"
	"chela/internal/hook/outside"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

func call() hook.Call {
	return hook.Call{Point: hook.Prompt, Hook: "a", Data: json.RawMessage(`{"text":"hello"}`)}
}

// ends is a runner whose programs end as it says.
type ends struct {
	exit tool.Exit
	err  error
	job  tool.Job
}

func (e *ends) Run(_ context.Context, j tool.Job) (tool.Exit, error) {
	e.job = j
	return e.exit, e.err
}

func TestOutside_Commands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runner ends
		deny   string
		data   string
		fails  bool
	}{
		"nothing":         {ends{}, "", "", false},
		"an answer":       {ends{exit: tool.Exit{Stdout: `{"data":{"text":"hi"}}`}}, "", `{"text":"hi"}`, false},
		"a denial":        {ends{exit: tool.Exit{Stdout: `{"deny":"no."}`}}, "no.", "", false},
		"deny is empty":   {ends{exit: tool.Exit{Stdout: `{"deny":""}`}}, "it gave no reason.", "", false},
		"deny is blank":   {ends{exit: tool.Exit{Stdout: `{"deny":" \n"}`}}, "it gave no reason.", "", false},
		"deny is null":    {ends{exit: tool.Exit{Stdout: `{"deny":null}`}}, "", "", false},
		"deny is true":    {ends{exit: tool.Exit{Stdout: `{"deny":true}`}}, "", "", true},
		"exit code 2":     {ends{exit: tool.Exit{Code: 2, Stderr: "not today.\n"}}, "not today.", "", false},
		"no reason":       {ends{exit: tool.Exit{Code: 2}}, "it gave no reason.", "", false},
		"a crash":         {ends{exit: tool.Exit{Code: 139}}, "", "", true},
		"killed":          {ends{exit: tool.Exit{Code: -1, TimedOut: true}}, "", "", true},
		"nonsense":        {ends{exit: tool.Exit{Stdout: "hello"}}, "", "", true},
		"an unknown key":  {ends{exit: tool.Exit{Stdout: `{"allow":true}`}}, "", "", true},
		"no such program": {ends{err: tool.ErrNoProgram}, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.runner
			a, err := outside.Command{Runner: &r, Argv: []string{"./check"}, Folder: "/data/hooks"}.Call(t.Context(), call())
			if (err != nil) != c.fails || a.Deny != c.deny || string(a.Data) != c.data {
				t.Errorf("%+v %v", a, err)
			}
			if string(r.job.Stdin) != `{"point":"prompt","hook":"a","data":{"text":"hello"}}` || r.job.Dir != "/data/hooks" || r.job.Network || len(r.job.Folders) != 1 || r.job.Folders[0].Write {
				t.Errorf("%+v", r.job)
			}
		})
	}
}

func inside(context.Context) (netaddr.Reach, error) {
	return netaddr.Reach{Networks: netaddr.Networks{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")}}, nil
}

func nowhere(context.Context) (netaddr.Reach, error) { return netaddr.Reach{}, nil }

func TestOutside_Services(t *testing.T) {
	t.Parallel()
	var asked int
	mux := http.NewServeMux()
	mux.HandleFunc("POST /signed", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		sum := hmac.New(sha256.New, []byte("the signing key"))
		sum.Write(raw)
		if r.Header.Get(outside.SignatureHeader) != "sha256="+hex.EncodeToString(sum.Sum(nil)) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	mux.HandleFunc("POST /denies", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"deny":"no."}`) })
	mux.HandleFunc("POST /nonsense", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `<html>`) })
	mux.HandleFunc("POST /elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/never", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/never", func(http.ResponseWriter, *http.Request) { asked++ })
	server := httptest.NewServer(mux)
	defer server.Close()
	secrets := func(_ context.Context, name string) (string, error) {
		if name != "HOOK_KEY" {
			return "", fault.New(fault.NotFound, "There is no %s.", name)
		}
		return "the signing key", nil
	}
	for name, c := range map[string]struct {
		path   string
		secret string
		reach  func(context.Context) (netaddr.Reach, error)
		deny   string
		fails  string
	}{
		"signed":            {"/signed", "HOOK_KEY", inside, "", ""},
		"not signed":        {"/signed", "", inside, "", "status 401"},
		"no such secret":    {"/signed", "OTHER", inside, "", "no OTHER"},
		"denies":            {"/denies", "", inside, "no.", ""},
		"nonsense":          {"/nonsense", "", inside, "", "does not fit"},
		"missing":           {"/missing", "", inside, "", "status 404"},
		"sent elsewhere":    {"/elsewhere", "", inside, "", "status 307"},
		"inside, ungranted": {"/signed", "HOOK_KEY", nowhere, "", "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := outside.Service{URL: server.URL + c.path, Secret: c.secret, Secrets: secrets, Reach: c.reach}.Call(t.Context(), call())
			if a.Deny != c.deny || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(fault.TextOf(err), c.fails) {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
	if asked > 0 {
		t.Error("it followed a redirect")
	}
	if _, err := (outside.Service{URL: server.URL, Reach: func(context.Context) (netaddr.Reach, error) { return netaddr.Reach{}, errors.New("no policy") }}).Call(t.Context(), call()); err == nil {
		t.Error("it calls out while the policy cannot be read")
	}
}

// FuzzAnswers: whatever a program writes, it breaks nothing.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"", "{}", `{"deny":"x"}`, `{"data":{}}`, "[", "\x00", `{"deny":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := outside.Command{Runner: &ends{exit: tool.Exit{Stdout: text}}, Argv: []string{"./x"}, Folder: "/x"}.Call(t.Context(), call())
		if err != nil && (a.Deny != "" || len(a.Data) > 0) {
			t.Errorf("%+v with %v", a, err)
		}
	})
}
