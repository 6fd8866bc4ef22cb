package webhook

import (
	"fmt"
	"strconv"
	"strings"
)

// fields are what a sender says, JSON of any shape. What is not there is empty.
type fields struct{ m map[string]any }

// at is what lies below a path of names.
func (f fields) at(path ...string) any {
	var v any = f.m
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func (f fields) text(path ...string) string {
	switch v := f.at(path...).(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// in is what lies below a name.
func (f fields) in(path ...string) fields {
	m, _ := f.at(path...).(map[string]any)
	return fields{m}
}

func (f fields) first(paths ...string) string {
	for _, p := range paths {
		if s := f.text(strings.Split(p, ".")...); s != "" {
			return s
		}
	}
	return ""
}

func numbered(n string) string {
	if n == "" {
		return ""
	}
	return "#" + n
}

// github maps what GitHub sends, by the header that names it.
func (f fields) github(name string) (string, Subject, bool) {
	s := Subject{Action: f.text("action"), Repository: f.text("repository", "full_name"), Actor: f.text("sender", "login")}
	about := func(what string, o fields) {
		s.What, s.Title, s.Text, s.URL, s.Key, s.State = what, o.first("title", "name"), o.text("body"), o.text("html_url"), numbered(o.first("number", "run_number")), o.first("conclusion", "state", "status")
	}
	full := name
	if s.Action != "" {
		full += "." + s.Action
	}
	switch name {
	case "issues":
		about("issue", f.in("issue"))
	case "pull_request", "pull_request_target":
		about("pull request", f.in("pull_request"))
		if f.text("pull_request", "merged") == "true" {
			s.State = "merged"
		}
	case "issue_comment", "pull_request_review_comment", "commit_comment", "discussion_comment":
		about("comment", f.in("issue"))
		s.Text, s.URL = f.text("comment", "body"), f.text("comment", "html_url")
		s.Title, s.Key = f.first("issue.title", "pull_request.title", "discussion.title"), numbered(f.first("issue.number", "pull_request.number"))
	case "pull_request_review":
		about("comment", f.in("pull_request"))
		s.Text, s.URL, s.State = f.text("review", "body"), f.text("review", "html_url"), f.text("review", "state")
	case "push":
		s.What, s.Key, s.Title, s.URL = "push", f.text("ref"), f.text("head_commit", "message"), f.text("compare")
	case "workflow_run", "check_run", "check_suite", "workflow_job", "deployment_status":
		about("build", f.in(name))
	case "release":
		about("release", f.in("release"))
		s.Key = f.text("release", "tag_name")
	case "code_scanning_alert", "dependabot_alert", "secret_scanning_alert":
		about("error", f.in("alert"))
		s.Title, s.Severity = f.first("alert.rule.description", "alert.security_advisory.summary", "alert.secret_type"), f.first("alert.rule.severity", "alert.security_advisory.severity")
	case "ping":
		s.What, s.Title = "project", f.text("zen")
	default:
		return full, s, false
	}
	return full, s, true
}

// gitlab maps what GitLab sends.
func (f fields) gitlab() (string, Subject, bool) {
	name, o := f.first("object_kind", "event_name"), f.in("object_attributes")
	s := Subject{
		Action: o.text("action"), Repository: f.text("project", "path_with_namespace"), Actor: f.first("user.username", "user_username"),
		Title: o.first("title", "name"), Text: o.first("description", "note"), URL: o.text("url"), Key: numbered(o.text("iid")), State: o.first("state", "status"),
	}
	full := name
	if s.Action != "" {
		full += "." + s.Action
	}
	what, known := map[string]string{
		"issue": "issue", "work_item": "issue", "merge_request": "pull request", "note": "comment", "push": "push", "tag_push": "push",
		"pipeline": "build", "build": "build", "job": "build", "release": "release", "deployment": "build",
	}[name]
	s.What = what
	switch what {
	case "push":
		s.Key, s.Title = f.text("ref"), f.text("message")
	case "build":
		s.State, s.URL, s.Key = f.first("object_attributes.status", "build_status", "status"), f.first("object_attributes.url", "deployable_url"), f.first("object_attributes.id", "build_id")
		s.Title = f.first("object_attributes.ref", "build_name", "environment")
	case "comment":
		s.Title = f.first("issue.title", "merge_request.title")
	case "release":
		s.Title, s.Key, s.URL, s.Action = f.text("name"), f.text("tag"), f.text("url"), f.text("action")
	}
	return full, s, known
}

// jira maps what Jira sends.
func (f fields) jira() (string, Subject, bool) {
	name := strings.TrimPrefix(f.text("webhookEvent"), "jira:")
	issue := f.in("issue")
	s := Subject{
		Action: f.text("issue_event_type_name"), Key: issue.text("key"), Title: issue.text("fields", "summary"), Text: issue.text("fields", "description"),
		State: issue.text("fields", "status", "name"), Severity: issue.text("fields", "priority", "name"), Repository: issue.text("fields", "project", "key"),
		Actor: f.first("user.displayName", "comment.author.displayName"), URL: issue.text("self"),
	}
	switch {
	case strings.HasPrefix(name, "issue_"):
		s.What = "issue"
	case strings.HasPrefix(name, "comment_"):
		s.What, s.Text = "comment", f.text("comment", "body")
	case strings.HasPrefix(name, "sprint_"):
		s.What, s.Title, s.State, s.Key = "project", f.text("sprint", "name"), f.text("sprint", "state"), f.text("sprint", "id")
	case strings.HasPrefix(name, "version_"):
		s.What, s.Title, s.Key = "release", f.text("version", "name"), f.text("version", "id")
	default:
		return name, s, false
	}
	return name, s, true
}

// linear maps what Linear sends.
func (f fields) linear() (string, Subject, bool) {
	kind, d := f.text("type"), f.in("data")
	s := Subject{
		Action: f.text("action"), Title: d.first("title", "name", "issue.title"), Text: d.first("description", "body"), URL: f.first("url", "data.url"),
		Key: d.first("identifier", "issue.identifier"), State: d.text("state", "name"), Severity: d.text("priorityLabel"),
		Repository: d.first("team.key", "team.name"), Actor: f.text("actor", "name"),
	}
	what, known := map[string]string{"Issue": "issue", "Comment": "comment", "Project": "project", "ProjectUpdate": "project", "Cycle": "project", "IssueLabel": "project"}[kind]
	s.What = what
	return kind + "." + s.Action, s, known
}

// sentry maps what Sentry sends, by the header that names it.
func (f fields) sentry(resource string) (string, Subject, bool) {
	d := f.in("data")
	s := Subject{Action: f.text("action"), Actor: f.text("actor", "name")}
	switch resource {
	case "issue":
		s.What, s.Title, s.Text, s.URL, s.Key = "error", d.text("issue", "title"), d.text("issue", "culprit"), d.first("issue.web_url", "issue.permalink", "issue.url"), d.text("issue", "shortId")
		s.State, s.Severity, s.Repository = d.text("issue", "status"), d.text("issue", "level"), d.text("issue", "project", "slug")
	case "error", "event_alert":
		name := map[string]string{"error": "error", "event_alert": "event"}[resource]
		s.What, s.Title, s.Text, s.URL, s.Key = "error", d.text(name, "title"), d.first(name+".culprit", name+".message"), d.first(name+".web_url", name+".url"), d.text(name, "issue_id")
		s.Severity, s.Repository = d.text(name, "level"), d.text(name, "project")
	case "metric_alert":
		s.What, s.Title, s.Text, s.URL, s.Severity = "incident", d.text("description_title"), d.text("description_text"), d.text("web_url"), f.text("action")
		s.Key = d.text("metric_alert", "identifier")
	case "comment":
		s.What, s.Text, s.Key, s.Repository = "comment", d.text("comment"), d.text("issue_id"), d.text("project_slug")
	default:
		return resource + "." + s.Action, s, false
	}
	return resource + "." + s.Action, s, true
}

// pagerduty maps what PagerDuty sends.
func (f fields) pagerduty() (string, Subject, bool) {
	e := f.in("event")
	name, d := e.text("event_type"), e.in("data")
	s := Subject{
		Title: d.first("title", "incident.summary", "content"), URL: d.first("html_url", "incident.html_url"), Key: numbered(d.first("number")), State: d.text("status"),
		Severity: d.first("priority.summary", "urgency"), Repository: d.first("service.summary"), Actor: e.text("agent", "summary"),
	}
	if s.Key == "" {
		s.Key = d.text("id")
	}
	_, s.Action, _ = strings.Cut(name, ".")
	if strings.HasPrefix(name, "incident.") {
		s.What = "incident"
	}
	return name, s, s.What != ""
}

// generic takes what others send: type names it, and data or the body itself may have our own names.
func (f fields) generic() (string, Subject, bool) {
	d := f.in("data")
	if d.m == nil {
		d = f
	}
	s := Subject{
		What: d.text("what"), Action: d.text("action"), Title: d.first("title", "name", "summary"), Text: d.first("text", "description", "message"), URL: d.first("url", "link"),
		Key: d.first("key", "id"), State: d.first("state", "status"), Severity: d.first("severity", "level", "priority"), Repository: d.first("repository", "project"), Actor: d.first("actor", "user"),
	}
	name := f.first("type", "event", "event_type")
	return name, s, name != ""
}

// Told says what came, for an agent: one line each, of data from outside.
func (r Received) Told() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Event: %s\n", r.Event)
	for _, f := range [][2]string{
		{"About", r.What}, {"Key", r.Subject.Key}, {"Title", r.Title}, {"State", r.State}, {"Severity", r.Severity}, {"Where", r.Repository}, {"By", r.Actor}, {"Address", r.URL}, {"All of it", r.Body},
	} {
		if f[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", f[0], strings.Join(strings.Fields(f[1]), " "))
		}
	}
	if r.Subject.Text != "" {
		fmt.Fprintf(&b, "Text:\n%s\n", r.Subject.Text)
	}
	return b.String()
}
