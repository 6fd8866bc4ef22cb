package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/artifact"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/run"
)

// The addresses of what clients read. Tickets, memories and all other kinds are records.
const (
	scheme    = "chela://"
	recordURI = scheme + "records/"
	threadURI = scheme + "threads/"
	runURI    = scheme + "runs/"
	filesURI  = scheme + "artifacts/"
	listURI   = scheme + "projects/"
)

// What is read of one resource.
const (
	mostMessages = 200     // of a thread, the newest
	mostRecords  = 500     // of a list
	perPage      = 100     // of the resources that are listed
	mostBody     = 2 << 20 // of one, in bytes
)

// addResources adds the forms of the addresses.
func (s *Server) addResources() {
	for _, t := range []*sdk.ResourceTemplate{
		{Name: "record", URITemplate: recordURI + "{id}", Description: "A record by its id: a project, ticket, objective, memory or any other kind", MIMEType: "application/json"},
		{Name: "records", URITemplate: listURI + "{project}/{kind}", Description: "The records of a kind in a project, such as tickets, objectives, memories or blindspots", MIMEType: "application/json"},
		{Name: "thread", URITemplate: threadURI + "{id}", Description: "A conversation with its newest 200 messages", MIMEType: "application/json"},
		{Name: "run", URITemplate: runURI + "{id}", Description: "A run, what it waits for and what came of it", MIMEType: "application/json"},
		{Name: "artifact", URITemplate: filesURI + "{+ref}", Description: "A large payload by its reference, artifact:…"},
	} {
		s.server.AddResourceTemplate(t, s.read)
	}
}

// read reads a resource by its address.
func (s *Server) read(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	if _, err := s.caller(ctx, r.Extra); err != nil {
		return nil, s.fail(ctx, err)
	}
	uri := r.Params.URI
	if ref, ok := strings.CutPrefix(uri, filesURI); ok {
		return s.artifact(ctx, uri, ref)
	}
	v, err := s.look(ctx, uri)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	if len(raw) > mostBody {
		return nil, s.fail(ctx, fault.New(fault.TooLarge, "%s has %d MB; up to %d are read here. The tools that read records read a part.", uri, len(raw)>>20, mostBody>>20))
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(raw)}}}, nil
}

// look finds what an address names. A fault.NotFound says that there is nothing.
func (s *Server) look(ctx context.Context, uri string) (any, error) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(uri, scheme), "/")
	id, err := url.PathUnescape(rest)
	if err != nil {
		return nil, fault.New(fault.NotFound, "There is nothing at %s.", uri)
	}
	switch scheme + kind + "/" {
	case recordURI:
		return s.record(ctx, id)
	case listURI:
		project, plural, _ := strings.Cut(id, "/")
		return s.records(ctx, project, plural)
	case threadURI:
		return s.thread(ctx, id)
	case runURI:
		return s.run(ctx, run.ID(id))
	}
	return nil, fault.New(fault.NotFound, "There is nothing at %s.", uri)
}

func (s *Server) record(ctx context.Context, id string) (any, error) {
	r, err := s.Store.Desk.Record(ctx, id)
	if err == nil && r.Deleted {
		err = fault.New(fault.NotFound, "The %s %s was deleted.", r.Kind.Word(), r.ID)
	}
	if err != nil {
		return nil, err
	}
	return desk.Shown(r)
}

func (s *Server) records(ctx context.Context, project, plural string) (any, error) {
	kinds := desk.Kinds()
	i := slices.IndexFunc(kinds, func(k desk.Kind) bool { return k.Plural() == plural })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "There is no kind of records named %s.", plural)
	}
	if _, err := s.record(ctx, project); err != nil {
		return nil, err
	}
	p, err := s.Store.Desk.Records(ctx, clerk.Query{Project: project, Kind: kinds[i], Limit: mostRecords})
	for j := range p.Records {
		if err == nil {
			p.Records[j], err = desk.Shown(p.Records[j])
		}
	}
	return p, err
}

func (s *Server) thread(ctx context.Context, id string) (any, error) {
	t, err := s.Store.Conversations.Session(ctx, id)
	if err = inbox.There(t, err); err != nil {
		return nil, err
	}
	said, err := s.Store.Conversations.LastMessages(ctx, id, event.Newest, mostMessages)
	return map[string]any{"thread": t, "messages": said}, err
}

func (s *Server) run(ctx context.Context, id run.ID) (any, error) {
	r, err := s.Store.Runs.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"run": r}
	ends, _, err := s.Store.Log.Events(ctx, 0, event.Filter{Run: string(id), Type: run.FinishedKind.Name, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(ends) > 0 {
		end, _, err := run.FinishedKind.Open(ends[0].Event)
		if err != nil {
			return nil, err
		}
		out["result"] = end.Result
	}
	return out, nil
}

func (s *Server) artifact(ctx context.Context, uri, ref string) (*sdk.ReadResourceResult, error) {
	if name, err := url.PathUnescape(ref); err == nil {
		ref = name
	}
	raw, err := s.Files.Get(artifact.Ref(ref))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	if len(raw) > mostBody {
		return nil, s.fail(ctx, fault.New(fault.TooLarge, "%s has %d MB; up to %d are read here. GET /api/artifacts/%s gives all of it.", ref, len(raw)>>20, mostBody>>20, ref))
	}
	c := &sdk.ResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: raw}
	if utf8.Valid(raw) {
		c = &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: string(raw)}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// listed lists the projects, then the conversations and runs, the newest first.
func (s *Server) listed(ctx context.Context, r sdk.Request, res *sdk.ListResourcesResult) error {
	p, ok := r.GetParams().(*sdk.ListResourcesParams)
	part, cursor := "projects", ""
	if ok && p != nil && p.Cursor != "" {
		part, cursor, _ = strings.Cut(p.Cursor, " ")
	}
	var err error
	switch part {
	case "projects":
		res.Resources, res.NextCursor, err = s.listProjects(ctx, cursor)
	case "threads":
		res.Resources, res.NextCursor, err = s.listThreads(ctx, cursor)
	case "runs":
		res.Resources, res.NextCursor, err = s.listRuns(ctx, cursor)
	default:
		err = fault.BadField("cursor", "It is none of a list of resources.")
	}
	if res.Resources == nil {
		res.Resources = []*sdk.Resource{} // none is a list, too
	}
	return err
}

func (s *Server) listProjects(ctx context.Context, cursor string) (out []*sdk.Resource, next string, err error) {
	p, err := s.Store.Desk.Records(ctx, clerk.Query{Kind: desk.Project, Limit: perPage, Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	for _, r := range p.Records {
		sum, err := desk.Summarize(r)
		if err != nil {
			return nil, "", err
		}
		out = append(out, &sdk.Resource{URI: recordURI + r.ID, Name: r.ID, Title: sum.Title, Description: "Project, " + sum.Status, MIMEType: "application/json"})
	}
	if p.Next != "" {
		return out, "projects " + p.Next, nil
	}
	return out, "threads 0", nil
}

func (s *Server) listThreads(ctx context.Context, cursor string) (out []*sdk.Resource, next string, err error) {
	from, err := strconv.Atoi(cursor)
	if err != nil || from < 0 {
		return nil, "", fault.BadField("cursor", "It is none of a list of resources.")
	}
	all, err := s.Store.Conversations.Sessions(ctx, "", "", perPage, from)
	if err != nil {
		return nil, "", err
	}
	for _, t := range all {
		out = append(out, &sdk.Resource{URI: threadURI + t.ID, Name: t.ID, Title: t.Title, Description: "Conversation", MIMEType: "application/json"})
	}
	if len(all) == perPage {
		return out, fmt.Sprintf("threads %d", from+perPage), nil
	}
	return out, "runs 0", nil
}

func (s *Server) listRuns(ctx context.Context, cursor string) (out []*sdk.Resource, next string, err error) {
	before, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || before < 0 {
		return nil, "", fault.BadField("cursor", "It is none of a list of resources.")
	}
	all, err := s.Store.Runs.RunList(ctx, run.Filter{Before: event.Seq(before), Limit: perPage})
	if err != nil {
		return nil, "", err
	}
	for _, r := range all {
		out = append(out, &sdk.Resource{URI: runURI + string(r.ID), Name: string(r.ID), Title: r.Title, Description: "Run, " + string(r.State), MIMEType: "application/json"})
	}
	if len(all) == perPage {
		next = fmt.Sprintf("runs %d", all[len(all)-1].Seq)
	}
	return out, next, nil
}

// complete suggests the values of what an address of records names: kinds, and projects.
func (s *Server) complete(ctx context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	if _, err := s.caller(ctx, r.Extra); err != nil {
		return nil, s.fail(ctx, err)
	}
	values := []string{}
	ref, begun := r.Params.Ref, r.Params.Argument.Value
	if ref != nil && ref.Type == "ref/resource" && strings.HasPrefix(ref.URI, listURI) {
		switch r.Params.Argument.Name {
		case "kind":
			for _, k := range desk.Kinds() {
				values = append(values, k.Plural())
			}
		case "project":
			p, err := s.Store.Desk.Records(ctx, clerk.Query{Kind: desk.Project, Limit: perPage})
			if err != nil {
				return nil, s.fail(ctx, err)
			}
			for _, project := range p.Records {
				values = append(values, project.ID)
			}
		}
	}
	values = slices.DeleteFunc(values, func(v string) bool { return !strings.HasPrefix(v, begun) })
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}
