package test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// The holes are those that were found in a system of this kind by running it; the numbers
// are those of its report. Others are shut beside what they concern: in guard (9, 18, 19,
// 20), tool/files (4), tool/web (9), agent (1, 2).

// raw makes a request without the client's token.
func raw(t *testing.T, method, url, body string, header map[string]string) (int, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	must(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	req.Host = header["Host"] // a name that leads here by somebody else's DNS
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	must(t, res.Body.Close())
	return res.StatusCode, res.Header
}

// TestHoles_Hole3UnlistedTools: every tool says what it does, and one that writes or runs is not
// for a viewer, whoever lists it.
func TestHoles_Hole3UnlistedTools(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, nil, "")
	var tools []struct {
		Name string `json:"name"`
		Risk string `json:"risk"`
	}
	h.d.must(t, "GET", "/api/tools", nil, &tools)
	if len(tools) < 60 {
		t.Fatalf("%d tools", len(tools))
	}
	for _, tl := range tools {
		var out struct {
			Decision struct {
				Verdict string `json:"verdict"`
			} `json:"decision"`
		}
		h.d.must(t, "POST", "/api/policy/test", map[string]any{"agent": "coder", "tool": tl.Name, "role": "viewer", "args": map[string]any{}}, &out)
		if tl.Risk == "" || (tl.Risk == "EXEC_SHELL" || tl.Risk == "WRITE_FILES") && out.Decision.Verdict != "deny" {
			t.Errorf("%s (%s): a viewer's is %s", tl.Name, tl.Risk, out.Decision.Verdict)
		}
	}
	h.end()
}

// TestHoles_Hole6OpenGateway, TestHoles_Hole7DriveBy and TestHoles_Hole10StaticLogins.
func TestHoles_Hole6OpenGateway(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, nil, "")
	url := addressOf(t, h.s)
	for _, path := range []string{"/api/chat", "/api/policy/test", "/api/approvals/apr_1", "/api/clutch", "/api/sessions"} {
		if code, _ := raw(t, "POST", url+path, `{"agent":"coder","text":"run it"}`, map[string]string{"Content-Type": "application/json"}); code != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, code)
		}
	}
	h.end()
}

func TestHoles_Hole7DriveBy(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, nil, "")
	url := addressOf(t, h.s)
	token, err := os.ReadFile(filepath.Join(h.s.data, "token"))
	must(t, err)
	bearer := "Bearer " + strings.TrimSpace(string(token))
	for name, header := range map[string]map[string]string{
		"another origin":       {"Authorization": bearer, "Origin": "https://evil.example", "Content-Type": "text/plain"},
		"another host":         {"Authorization": bearer, "Host": "evil.example"},
		"an origin of nothing": {"Authorization": bearer, "Origin": "null"},
	} {
		code, answer := raw(t, "POST", url+"/api/chat", `{"agent":"coder","text":"run it"}`, header)
		if code < 400 || answer.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", name, code, answer)
		}
	}
	h.end()
}

func TestHoles_Hole10StaticLogins(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, nil, "")
	url := addressOf(t, h.s)
	token, err := os.ReadFile(filepath.Join(h.s.data, "token"))
	must(t, err)
	if code, _ := raw(t, "GET", url+"/api/me?token="+strings.TrimSpace(string(token))+"&t="+strings.TrimSpace(string(token)), "", nil); code != http.StatusUnauthorized {
		t.Errorf("a token in the address: %d", code)
	}
	var one, two struct {
		Token string `json:"token"`
	}
	h.d.must(t, "POST", "/api/login-link", nil, &one)
	h.d.must(t, "POST", "/api/login-link", nil, &two)
	if one.Token == two.Token || len(one.Token) < 32 {
		t.Errorf("logins repeat: %q %q", one.Token, two.Token)
	}
	h.end()
}

// TestHoles_Hole11FilesAreReadByAll: nothing in the data folder is for others on the machine.
func TestHoles_Hole11FilesAreReadByAll(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, map[string][]string{"Write it": {`write_file {"path":"x.txt","content":"x"}`}}, "")
	h.do("Write it", "approve")
	must(t, filepath.WalkDir(h.s.data, func(path string, e fs.DirEntry, err error) error {
		info, statErr := e.Info()
		if err != nil || statErr != nil {
			return err
		}
		below := strings.TrimPrefix(path, h.s.data)
		if mode := info.Mode().Perm(); mode&0o077 != 0 && path != h.s.data && below != "/address" && !e.IsDir() && filepath.Dir(path) == h.s.data {
			t.Errorf("%s has the mode %v", below, mode)
		}
		return nil
	}))
	h.end()
}

// TestHoles_Hole24EmptyAudit: who asked, which rule decided and who approved is in the log.
func TestHoles_Hole24EmptyAudit(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, map[string][]string{"Write it": {`write_file {"path":"x.txt","content":"x"}`}}, "")
	out := h.do("Write it", "approve")
	var page struct {
		Events []struct {
			Type    string         `json:"type"`
			From    string         `json:"from"`
			Payload map[string]any `json:"payload"`
		} `json:"events"`
	}
	h.d.must(t, "GET", "/api/log?run="+out.Run, nil, &page)
	said := make(map[string]string)
	for _, e := range page.Events {
		said[e.Type] = fmt.Sprint(e.From, e.Payload)
	}
	for kind, want := range map[string]string{
		"approval.requested": "writes-are-asked", "approval.answered": "agent:person/", "tool.call": "approved: apr_", "tool.result": "x.txt",
	} {
		if !strings.Contains(said[kind], want) {
			t.Errorf("%s says %s, want %s", kind, said[kind], want)
		}
	}
	h.end()
}

// TestHoles_Hole25LongPrompts: what an agent is shown for "hello" stays under 3,000 tokens, about
// four bytes each, whichever agent it is.
func TestHoles_Hole25LongPrompts(t *testing.T) {
	t.Parallel()
	longest, size := "", 0
	w := newWorld(t, func(r request) any {
		_, said := r.since()
		if r.size > size && strings.Contains(said, "hello") {
			longest, size = said, r.size
		}
		return text("Hello.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	var agents []struct {
		Card struct {
			ID string `json:"agent_id"`
		} `json:"card"`
		Kind string `json:"kind"`
	}
	d.must(t, "GET", "/api/agents", nil, &agents)
	for _, a := range agents {
		var out chatAnswer
		d.must(t, "POST", "/api/chat", map[string]any{"projectId": project, "agent": a.Card.ID, "text": "hello " + a.Card.ID, "wait": true}, &out)
		if out.State != "done" {
			t.Errorf("%s: %+v", a.Card.ID, out)
		}
	}
	if len(agents) != 16 || size == 0 || size/4 > 3000 {
		t.Errorf("%d agents; %s is shown about %d tokens", len(agents), longest, size/4)
	}
	t.Logf("the longest: %s, %d tokens", longest, size/4)
	d.stop()
	s.verified(t)
}

// TestHoles_Hole26FullIsLess: an agent that may use everything is refused nothing for its lists.
func TestHoles_Hole26FullIsLess(t *testing.T) {
	t.Parallel()
	h := newHands(t, setup{data: t.TempDir()}, nil, "")
	var tools []struct {
		Name string `json:"name"`
	}
	h.d.must(t, "GET", "/api/tools", nil, &tools)
	for _, tl := range tools {
		var out struct {
			Decision struct {
				Rule string `json:"rule"`
			} `json:"decision"`
		}
		err := h.d.try("POST", "/api/policy/test", map[string]any{"agent": "coder", "tool": tl.Name}, &out)
		if r := out.Decision.Rule; fault.KindOf(err) == fault.NotFound && err != nil || r == "not-in-tools" || r == "role" {
			t.Errorf("%s: %v %s", tl.Name, err, r)
		}
	}
	h.end()
}
