package guard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

const policy = `
version: 1
wait: 10m
approver: admin
folders:
  - {path: /src/shop, projects: [Shop], write: true}
  - {path: /src/docs, agents: [coder]}
secrets:
  - {name: DEPLOY_TOKEN, tools: [shell_exec], agents: [coder], projects: [Shop]}
  - {name: API_TOKEN, tools: [http_*], hosts: ["*.example"]}
  - {name: HOST_TOKEN, tools: ["*"], hosts: [a.example]}
  - {name: NOWHERE_TOKEN, tools: [http_*]}
rules:
  - {name: no deploys, answer: deny, tools: [deploy_*]}
  - {name: tests, answer: allow, tools: [shell_exec], projects: [Shop], folders: [/src/shop], commands: ["go test ./...", "go vet ./... && go build ./..."]}
  - {name: looking, answer: allow, tools: [shell_exec], via: [person], commands: [read-only]}
  - {name: status page, answer: ask, risks: [NETWORK_CALLS], hosts: ["*.internal.example"], wait: 72h}
  - {name: nightly, answer: deny, risks: [WRITE_FILES], via: [schedule]}
  - {name: notes, answer: allow, risks: [WRITE_FILES], folders: [/src/shop/notes], roles: [admin, owner], channels: [page]}
`

// coder is a request of an agent with hands in the project Shop, for an editor.
func coder(name string, risk tool.Risk, act tool.Act) guard.Request {
	p, err := guard.ParsePolicy([]byte(policy))
	if err != nil {
		panic(err)
	}
	r := guard.Request{
		Tool: tool.Spec{Name: name, Help: "Does.", Risk: risk, Role: org.Editor}, Act: act,
		Who: guard.Caller{Role: org.Editor, Channel: "api", Via: guard.ByPerson}, Project: "prj_1", ProjectName: "Shop", Policy: p,
	}
	r.Agent.Card.AgentID, r.Agent.Enabled, r.Agent.Tools = "agent:coder", true, []string{"*"}
	r.Agent.Card.Security.Network = "egress-allowed"
	r.Agent.Permissions = org.Permissions{org.Records: true, org.Files: true, org.Shell: true, org.Git: true, org.Browser: true, org.Network: true}
	r.Folders = disk.Folders{Work: "/data/workspace/coder", Start: "/src/shop", Grants: p.Grants("agent:coder", "prj_1", "Shop")}
	return r
}

func shell(line string) guard.Request {
	return coder("shell_exec", tool.ExecShell, tool.Act{Command: line})
}

func writing(path string) guard.Request {
	return coder("write_file", tool.WriteFiles, tool.Act{Paths: []disk.Use{{Path: path, Write: true}}})
}

func TestPolicy_Decide(t *testing.T) {
	t.Parallel()
	change := func(r guard.Request, by func(*guard.Request)) guard.Request { by(&r); return r }
	standing := func(r *guard.Request) {
		r.Allowances = []guard.Allowance{{ID: "alw_1", Agent: "agent:coder", Project: "prj_1", Tool: "shell_exec", Shape: "npm test", Folder: "/src/shop"}}
	}
	for name, c := range map[string]struct {
		r       guard.Request
		verdict guard.Verdict
		rule    string
	}{
		"a write":                        {writing("/src/shop/a.go"), guard.Ask, "writes-are-asked"},
		"in its own folder":              {writing("/data/workspace/coder/a.go"), guard.Ask, "writes-are-asked"},
		"outside":                        {writing("/etc/passwd"), guard.Deny, "outside"},
		"outside by dots":                {writing("/src/shop/../../etc/passwd"), guard.Deny, "outside"},
		"beside a folder of a like name": {writing("/src/shop2/a"), guard.Deny, "outside"},
		"where it may only read":         {writing("/src/docs/a.md"), guard.Deny, "read-only-folder"},
		"a secret":                       {writing("/src/shop/.env"), guard.Deny, "secret-file"},
		"a hook of Git":                  {writing("/src/shop/.git/hooks/pre-commit"), guard.Deny, "startup-file"},
		"by a link": {change(writing("/src/shop/a.go"), func(r *guard.Request) {
			r.Links = func(string) (string, error) { return "/etc/shadow", nil }
		}), guard.Deny, "outside"},
		"another project's folder": {change(writing("/src/shop/a.go"), func(r *guard.Request) {
			r.Folders.Grants = r.Policy.Grants("agent:coder", "prj_2", "Other")
		}), guard.Deny, "outside"},
		"notes by an admin on the page":  {change(writing("/src/shop/notes/a.md"), func(r *guard.Request) { r.Who.Role, r.Who.Channel = org.Admin, "page" }), guard.Allow, "policy: notes"},
		"notes elsewhere":                {change(writing("/src/shop/notes/a.md"), func(r *guard.Request) { r.Who.Role = org.Admin }), guard.Ask, "writes-are-asked"},
		"a nightly write":                {change(writing("/src/shop/a.go"), func(r *guard.Request) { r.Who.Via = guard.BySchedule }), guard.Deny, "policy: nightly"},
		"a denied tool":                  {coder("deploy_run", tool.NetworkCalls, tool.Act{}), guard.Deny, "policy: no deploys"},
		"a program":                      {shell("make lint"), guard.Ask, "programs-are-asked"},
		"the tests":                      {shell("go test ./..."), guard.Allow, "policy: tests"},
		"the tests, spelt otherwise":     {shell("go   test   ./..."), guard.Allow, "policy: tests"},
		"two commands of one rule":       {shell("go vet ./... && go build ./..."), guard.Allow, "policy: tests"},
		"the tests and more":             {shell("go test ./... && rm -rf x"), guard.Ask, "programs-are-asked"},
		"the tests, elsewhere":           {change(shell("go test ./..."), func(r *guard.Request) { r.Act.Dir = "/data/workspace/coder" }), guard.Ask, "programs-are-asked"},
		"the tests of another project":   {change(shell("go test ./..."), func(r *guard.Request) { r.Project, r.ProjectName = "prj_2", "Other" }), guard.Ask, "programs-are-asked"},
		"looking":                        {shell("ls -la | head -3"), guard.Allow, "policy: looking"},
		"looking by the clock":           {change(shell("ls -la"), func(r *guard.Request) { r.Who.Via = guard.BySchedule }), guard.Ask, "programs-are-asked"},
		"looking at a secret":            {shell("cat .env"), guard.Deny, "secret-file"},
		"looking outside":                {shell("cat /home/ann/notes.txt"), guard.Deny, "outside"},
		"destroying":                     {shell("rm -rf /src/shop"), guard.Ask, "dangerous"},
		"sending":                        {shell("curl https://a.example"), guard.Deny, "network"},
		"sending, said so":               {change(shell("curl https://a.example"), func(r *guard.Request) { r.Act.Network = true }), guard.Ask, "programs-are-asked"},
		"allowed for always":             {change(shell("npm test"), standing), guard.Allow, "always: alw_1"},
		"allowed, another command":       {change(shell("npm run build"), standing), guard.Ask, "programs-are-asked"},
		"allowed, another folder":        {change(change(shell("npm test"), standing), func(r *guard.Request) { r.Act.Dir = "/data/workspace/coder" }), guard.Ask, "programs-are-asked"},
		"allowed, another agent":         {change(change(shell("npm test"), standing), func(r *guard.Request) { r.Agent.Card.AgentID = "agent:pm" }), guard.Ask, "programs-are-asked"},
		"allowed, after untrusted data":  {change(change(shell("npm test"), standing), func(r *guard.Request) { r.Origins = []string{"files"} }), guard.Allow, "always: alw_1"},
		"the tests after untrusted data": {change(shell("go test ./..."), func(r *guard.Request) { r.Origins = []string{"files"} }), guard.Ask, "after-untrusted-data"},
		"trusting rules go on": {change(shell("go test ./..."), func(r *guard.Request) {
			r.Origins, r.Policy.Rules[1].Trusting = []string{"files"}, true
		}), guard.Allow, "policy: tests"},
		"code":          {coder("python_exec", tool.ExecShell, tool.Act{Code: "print(1)"}), guard.Ask, "programs-are-asked"},
		"a page":        {coder("http_get", tool.NetworkCalls, tool.Act{URL: "https://a.example/x"}), guard.Allow, "network-of-card"},
		"a page inside": {coder("http_get", tool.NetworkCalls, tool.Act{URL: "https://ci.internal.example/x"}), guard.Ask, "policy: status page"},
		"unconfined, and the message wants a sandbox": {change(shell("make lint"), func(r *guard.Request) {
			r.Unconfined, r.Message = true, &event.Policy{Sandbox: true}
		}), guard.Deny, "message-policy"},
		"a granted secret":                          {change(shell("make lint"), func(r *guard.Request) { r.Act.Secrets = []string{"DEPLOY_TOKEN"} }), guard.Ask, "programs-are-asked"},
		"a granted secret where a rule allows":      {change(shell("go test ./..."), func(r *guard.Request) { r.Act.Secrets = []string{"DEPLOY_TOKEN"} }), guard.Allow, "policy: tests"},
		"allowed for always, but not with a secret": {change(change(shell("npm test"), standing), func(r *guard.Request) { r.Act.Secrets = []string{"DEPLOY_TOKEN"} }), guard.Ask, "programs-are-asked"},
		"a secret that nobody granted":              {change(shell("go test ./..."), func(r *guard.Request) { r.Act.Secrets = []string{"DEPLOY_TOKEN", "OTHER"} }), guard.Deny, "secret"},
		"another agent's secret":                    {change(shell("make lint"), func(r *guard.Request) { r.Act.Secrets, r.Agent.Card.AgentID = []string{"DEPLOY_TOKEN"}, "agent:pm" }), guard.Deny, "secret"},
		"another project's secret": {change(shell("make lint"), func(r *guard.Request) {
			r.Act.Secrets, r.Project, r.ProjectName = []string{"DEPLOY_TOKEN"}, "prj_2", "Other"
		}), guard.Deny, "secret"},
		"another tool's secret":          {coder("python_exec", tool.ExecShell, tool.Act{Code: "print(1)", Secrets: []string{"DEPLOY_TOKEN"}}), guard.Deny, "secret"},
		"a secret of hosts to a program": {change(shell("make lint"), func(r *guard.Request) { r.Act.Secrets = []string{"HOST_TOKEN"} }), guard.Deny, "secret"},
		"a secret to its host":           {coder("http_get", tool.NetworkCalls, tool.Act{URL: "https://a.example/x", Secrets: []string{"API_TOKEN", "HOST_TOKEN"}}), guard.Ask, "secret-is-sent"},
		"a secret in clear":              {coder("http_get", tool.NetworkCalls, tool.Act{URL: "http://a.example/x", Secrets: []string{"HOST_TOKEN"}}), guard.Deny, "secret-in-clear"},
		"a secret of no host":            {coder("http_get", tool.NetworkCalls, tool.Act{URL: "https://a.example/x", Secrets: []string{"NOWHERE_TOKEN"}}), guard.Deny, "secret"},
		"a secret to another host":       {coder("http_get", tool.NetworkCalls, tool.Act{URL: "https://evil.test/x", Secrets: []string{"API_TOKEN"}}), guard.Deny, "secret"},
		"no permission for files":        {change(writing("/src/shop/a.go"), func(r *guard.Request) { delete(r.Agent.Permissions, org.Files) }), guard.Deny, "file"},
		"no permission for programs":     {change(shell("make lint"), func(r *guard.Request) { delete(r.Agent.Permissions, org.Shell) }), guard.Deny, "shell"},
		"a memory":                       {change(coder("memory", tool.WriteRecords, tool.Act{}), func(r *guard.Request) { r.Tool.Asks = "It is believed." }), guard.Ask, "asks"},
		"a memory of a pipeline": {change(coder("memory_store", tool.WriteRecords, tool.Act{}), func(r *guard.Request) {
			r.Tool.Asks, r.Who.Via = "It is believed.", guard.ByWorkflow
		}), guard.Allow, "records-by-role"},
	} {
		t.Run(name, func(t *testing.T) {
			d := guard.Decide(c.r)
			if d.Verdict != c.verdict || d.Rule != c.rule {
				t.Errorf("%+v, want %s by %s", d, c.verdict, c.rule)
			}
			if d.Verdict != guard.Allow && !strings.HasSuffix(d.Text, ".") {
				t.Errorf("it says %q", d.Text)
			}
			if d.Verdict == guard.Ask && (d.Approver != org.Admin || d.Wait != 10*time.Minute && d.Wait != 72*time.Hour) {
				t.Errorf("it waits %s for %s", d.Wait, d.Approver)
			}
		})
	}
}

// TestPolicy_NothingIsAllowedForAlwaysThatRunsAnything: no interpreter, no shell, nothing on the
// network is offered.
func TestPolicy_NothingIsAllowedForAlwaysThatRunsAnything(t *testing.T) {
	t.Parallel()
	for line, offered := range map[string]bool{
		"npm test": true, "go build ./...": true, "./run.sh": false, "sh -c 'make lint'": false, "bash build.sh": false, "python3 x.py": false, "xargs rm": false, "env make": false,
		"make $X": false, "git push": false, "rm -rf /": false, "eval make": false,
	} {
		with := shell(line)
		with.Act.Secrets = []string{"DEPLOY_TOKEN"}
		if d := guard.Decide(with); d.Shape != "" {
			t.Errorf("%s with a secret: %+v", line, d)
		}
		if d := guard.Decide(shell(line)); (d.Shape != "") != offered {
			t.Errorf("%s: %+v", line, d)
		}
	}
}

func TestPolicy_PoliciesThatDoNotFit(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"version: 2":                                                    "version",
		"wait: 5m":                                                      "version",
		"version: 1\nwait: 9999h":                                       "wait",
		"version: 1\napprover: viewer":                                  "approver",
		"version: 1\nafter_untrusted_data: never":                       "after_untrusted_data",
		"version: 1\nfolders: [{path: src}]":                            "folders.0.path",
		"version: 1\nfolders: [{path: /}]":                              "folders.0.path",
		"version: 1\nnetwork: [localhost]":                              "network.0",
		"version: 1\nsecrets: [{tools: [a]}]":                           "secrets.0.name",
		"version: 1\nsecrets: [{name: A}]":                              "secrets.0.tools",
		"version: 1\nrules: [{answer: allow}]":                          "rules.0.name",
		"version: 1\nrules: [{name: a, answer: maybe}]":                 "rules.0.answer",
		"version: 1\nrules: [{name: a, answer: allow, risks: [ALL]}]":   "rules.0.risks.0",
		"version: 1\nrules: [{name: a, answer: allow, via: [mail]}]":    "rules.0.via.0",
		"version: 1\nrules: [{name: a, answer: allow, folders: [src]}]": "rules.0.folders.0",
		"version: 1\nrules: [{name: a, answer: allow}, {name: b, answer: deny, roles: [me]}]": "rules.1.roles.0",
	} {
		_, err := guard.ParsePolicy([]byte("\ufeff" + text)) // as Windows writes it
		var f *fault.Error
		if !asFault(err, &f) || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"version: 1\nrule: []", "version: 1\nrules: [{name: a, answer: allow, tool: [x]}]", "- a", "version: [", "\x00"} {
		if _, err := guard.ParsePolicy([]byte(text)); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if p, err := guard.ParsePolicy(nil); err != nil || p.Wait != guard.DefaultWait {
		t.Errorf("an empty policy: %+v %v", p, err)
	}
}

func asFault(err error, to **fault.Error) bool {
	f, ok := err.(*fault.Error) //nolint:errorlint // it is not wrapped
	*to = f
	return ok
}

func FuzzPolicy(f *testing.F) {
	f.Add(policy)
	f.Add("version: 1\nrules: [{name: a, answer: allow, commands: [read-only]}]")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := guard.ParsePolicy([]byte(text))
		if err != nil {
			return
		}
		r := shell("cat /etc/shadow")
		r.Policy = p
		if d := guard.Decide(r); d.Verdict != guard.Deny {
			t.Errorf("a policy opens what no grant opens: %+v", d)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for _, line := range []string{"go test ./...", "ls -la | grep -v x | head -3 && cd sub && make lint"} {
		r := shell(line)
		b.Run(fmt.Sprint(len(line)), func(b *testing.B) {
			for b.Loop() {
				guard.Decide(r)
			}
		})
	}
}

// TestDecide_AlwaysHoldsForTheFolderItself: what was allowed for always in a folder is not
// allowed in another to which a link of that name leads now.
func TestDecide_AlwaysHoldsForTheFolderItself(t *testing.T) {
	t.Parallel()
	agent := org.Agent{Card: org.Card{AgentID: "agent:coder"}}
	agent.Enabled, agent.Tools, agent.Permissions = true, []string{"*"}, org.Permissions{org.Shell: true, org.Files: true}
	for to, want := range map[string]guard.Verdict{"/srv/app/a": guard.Allow, "/srv/app/b": guard.Ask} {
		d := guard.Decide(guard.Request{
			Tool: tool.Spec{Name: "shell_exec", Risk: tool.ExecShell, Role: org.Editor}, Agent: agent, Who: guard.Caller{Role: org.Editor}, Folders: disk.Folders{Work: "/srv/app"},
			Act:        tool.Act{Risk: tool.ExecShell, Dir: "/srv/app/link", Command: "go test ./..."},
			Allowances: []guard.Allowance{{ID: "alw_1", Agent: "agent:coder", Tool: "shell_exec", Shape: "go test ./...", Folder: "/srv/app/a"}},
			Links: func(path string) (string, error) {
				return strings.Replace(path, "/srv/app/link", to, 1), nil
			},
		})
		if d.Verdict != want {
			t.Errorf("with a link to %s: %+v, want %s", to, d, want)
		}
	}
}
