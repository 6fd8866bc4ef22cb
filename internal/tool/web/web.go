// Package web lets agents ask for addresses and read pages of the web. Every address is
// judged when it is dialled (netaddr.Networks): those of a name, and those that a redirect leads
// to. What a page is for a reader is made by package document.
package web

import (
	"context"
	"embed"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"chela/internal/disk"
	"chela/internal/document"
	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/org"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// A Reach says which addresses may be connected to now. An error denies.
type Reach func(context.Context) (netaddr.Reach, error)

// Tools returns the tools for the web.
func Tools(r Reach) []*tool.Tool {
	f := fetcher{reach: r}
	return []*tool.Tool{tool.Func(spec("http_get"), f.get), tool.Func(spec("web_fetch"), f.page)}
}

func spec(name string) tool.Spec {
	return tool.Spec{
		Name: name, Help: tool.HelpFile(help, name), Risk: tool.NetworkCalls, Permission: org.Network, Untrusted: "network", Role: org.Viewer,
		Repeatable: true, Parallel: true, Timeout: whole,
	}
}

// Get asks for an address.
type Get struct {
	URL    string `json:"url" doc:"http or https"`
	Secret string `json:"secret,omitempty" doc:"name of a secret that is sent as a header; it must be granted for this host"`
	Header string `json:"header,omitempty" doc:"of the secret; Authorization, after Bearer, when left out"`
}

// Fetch reads a page.
type Fetch struct {
	URL    string `json:"url" doc:"http or https"`
	Mode   string `json:"extract_mode,omitempty" enum:"text,raw" doc:"text, the readable part, when left out"`
	Secret string `json:"secret,omitempty" doc:"name of a secret that is sent as a header; it must be granted for this host"`
	Header string `json:"header,omitempty" doc:"of the secret; Authorization, after Bearer, when left out"`
}

var (
	_ tool.Actor = Get{}
	_ tool.Actor = Fetch{}
)

// Act implements tool.Actor.
func (g Get) Act(disk.Folders) tool.Act { return act("GET ", g.URL, g.Secret, g.Header) }

// Act implements tool.Actor.
func (f Fetch) Act(disk.Folders) tool.Act { return act("Read ", f.URL, f.Secret, f.Header) }

// act names the address as it will be asked for, so that rules about hosts fit it. One that
// will not be asked for stands as it is.
func act(verb, raw, secret, header string) tool.Act {
	host := raw
	if u, err := netaddr.URL(raw); err == nil {
		raw, host = u.String(), u.Host
	}
	a := tool.Act{URL: raw, Shown: verb + raw}
	if secret != "" {
		a.Secrets = []string{secret}
		a.Shown += fmt.Sprintf(", and send the secret %s to %s as the header %s", secret, host, headerName(header))
	}
	return a
}

// hosts are where an output comes from.
type hosts []string

// From implements tool.Sourced.
func (h hosts) From() []string { return h }

type getOut struct {
	hosts
	URL      string `json:"url"` // that answered
	Status   int    `json:"status"`
	Type     string `json:"content_type"`
	Body     string `json:"body"`
	Cut      bool   `json:"cut,omitempty"`      // there is more
	Location string `json:"location,omitempty"` // leads on to another host
	Note     string `json:"note,omitempty"`
}

const (
	maxBody  = 10_000   // characters of http_get
	readBody = 64 << 10 // bytes, which hold them in any encoding
	readPage = 5 << 20  // bytes of web_fetch
)

// elsewhere is said of a redirect that is left to the agent.
const elsewhere = "It leads on to another host, which has to be decided about; ask for that address."

func (f fetcher) get(ctx context.Context, c tool.Call, in Get) (getOut, error) {
	h, err := headerOf(c, in.Secret, in.Header)
	if err != nil {
		return getOut{}, err
	}
	a, err := f.ask(ctx, c, in.URL, h, readBody)
	if err != nil {
		return getOut{}, err
	}
	out := getOut{hosts: a.hosts, URL: a.url.String(), Status: a.status, Type: a.kind, Location: a.location, Cut: a.cut}
	if a.location != "" {
		out.Note = elsewhere
	}
	text, ok := a.text()
	if !ok {
		out.Cut, out.Note = false, a.binary()
		return out, nil
	}
	out.Body, ok = head(text, maxBody)
	out.Cut = out.Cut || ok
	return out, nil
}

// head returns the first n characters, and whether there were more.
func head(s string, n int) (string, bool) {
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

type pageOut struct {
	hosts
	URL      string          `json:"url"` // that answered
	Status   int             `json:"status"`
	Type     string          `json:"content_type"`
	Title    string          `json:"title,omitempty"`
	Text     string          `json:"text"`
	Links    []document.Link `json:"links,omitempty"`
	Location string          `json:"location,omitempty"` // leads on to another host
	Note     string          `json:"note,omitempty"`
}

func (f fetcher) page(ctx context.Context, c tool.Call, in Fetch) (pageOut, error) {
	h, err := headerOf(c, in.Secret, in.Header)
	if err != nil {
		return pageOut{}, err
	}
	a, err := f.ask(ctx, c, in.URL, h, readPage)
	if err != nil {
		return pageOut{}, err
	}
	out := pageOut{hosts: a.hosts, URL: a.url.String(), Status: a.status, Type: a.kind, Location: a.location}
	if a.location != "" {
		out.Note = elsewhere
		return out, nil
	}
	if a.cut {
		out.Note = fmt.Sprintf("It is longer than %d MB; this is its beginning.", readPage>>20)
	}
	text, isText := a.text()
	switch {
	case isText && in.Mode != "raw" && a.isHTML():
		p, err := document.ReadPage(a.body, a.kind, a.url)
		if err != nil {
			return pageOut{}, err
		}
		out.Title, out.Text, out.Links = p.Title, p.Text, p.Links
	case isText:
		out.Text = text
	case a.cut:
		return pageOut{}, fault.New(fault.TooLarge, "The document is larger than %d MB, which is what is read.", readPage>>20)
	default:
		out.Text, out.Note = a.document()
	}
	return out, nil
}

// text is what an answer says when it is text.
func (a answer) text() (string, bool) {
	media, _, err := mime.ParseMediaType(a.kind)
	if err != nil {
		media = ""
	}
	if found := http.DetectContentType(a.body); !textual(media) && (media != "" && media != "application/octet-stream" || !strings.HasPrefix(found, "text/")) {
		return "", false
	}
	text, err := document.Decode(a.body, a.kind)
	if err != nil || strings.ContainsRune(text, 0) {
		return "", false
	}
	if a.cut { // perhaps inside a character
		text = strings.TrimRight(text, string(utf8.RuneError))
	}
	return text, true
}

func textual(media string) bool {
	if media == "text/rtf" {
		return false
	}
	for _, end := range []string{"json", "xml", "yaml", "javascript", "ecmascript", "x-ndjson", "x-www-form-urlencoded", "x-sh", "toml", "graphql"} {
		if strings.HasPrefix(media, "application/") && (strings.HasSuffix(media, "/"+end) || strings.HasSuffix(media, "+"+end)) {
			return true
		}
	}
	return strings.HasPrefix(media, "text/") || media == "image/svg+xml" || media == "application/x-yaml"
}

func (a answer) isHTML() bool {
	media, _, err := mime.ParseMediaType(a.kind)
	if err != nil || media == "" || media == "application/octet-stream" {
		return strings.HasPrefix(http.DetectContentType(a.body), "text/html")
	}
	return media == "text/html" || media == "application/xhtml+xml"
}

// extensions are how documents are called whose addresses do not say what they are.
var extensions = map[string]string{
	"application/pdf":          ".pdf",
	"application/zip":          ".zip",
	"message/rfc822":           ".eml",
	"application/msword":       ".doc",
	"application/vnd.ms-excel": ".xls",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":       ".xlsx",
}

// document is the text of a document, or what it is when it has none.
func (a answer) document() (text, note string) {
	name := path.Base(a.url.Path)
	media, _, err := mime.ParseMediaType(a.kind)
	if ext := extensions[media]; err == nil && ext != "" && !strings.EqualFold(path.Ext(name), ext) {
		name += ext
	}
	doc, err := document.Read(name, a.body, document.Limits{Bytes: readPage})
	if err != nil || doc.Text == "" && len(doc.Tables) == 0 || doc.Kind == document.Text && !strings.HasPrefix(http.DetectContentType(a.body), "text/") {
		return "", a.binary()
	}
	var b strings.Builder
	b.WriteString(doc.Text)
	for _, t := range doc.Tables {
		b.WriteString("\n" + t.Sheet + "\n" + strings.Join(t.Header, "\t") + "\n")
		for _, row := range t.Rows {
			b.WriteString(strings.Join(row.Cells, "\t") + "\n")
		}
	}
	return strings.TrimSpace(b.String()), fmt.Sprintf("This is the text of the document (%s), not its bytes.", doc.Kind)
}

// binary says what an answer is that is no text.
func (a answer) binary() string {
	size := fmt.Sprintf("%d", len(a.body))
	if a.cut {
		size = "more than " + size
	}
	return fmt.Sprintf("The answer is no text: %s bytes of %s. They are not shown.", size, http.DetectContentType(a.body))
}
