package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
)

// fetchTimes is how many times as long as for an answer is waited for a whole file.
const fetchTimes = 6

// A file is what a message has attached (docs.slack.dev/reference/objects/file-object).
type file struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Mime     string `json:"mimetype"`
	Mode     string `json:"mode"` // hosted, snippet, external, tombstone …
	Subtype  string `json:"subtype"`
	Size     int64  `json:"size"`
	URL      string `json:"url_private"`
	Download string `json:"url_private_download"`
	External bool   `json:"is_external"`
}

// called is the name of a file, which names no folder.
func (f file) called() string {
	name := path.Base(path.Clean("/" + strings.ReplaceAll(cmp.Or(f.Name, f.Title), `\`, "/")))
	if name == "/" {
		name = cmp.Or(f.ID, "file")
	}
	return oneLine(name)
}

// fetchable reports whether the file lies at Slack.
func (f file) fetchable() bool {
	if f.External || f.Mode == "external" || f.Mode == "tombstone" || f.Mode == "hidden_by_limit" {
		return false
	}
	return f.Download != "" || f.URL != ""
}

// whole returns all that is known of a file. Of one in a channel that is shared with another
// workspace, and in some mentions, an event has only the id
// (docs.slack.dev/reference/methods/files.info).
func (a *Adapter) whole(ctx context.Context, f file) file {
	if f.Download != "" || f.URL != "" || f.ID == "" || f.Mode != "" {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	var out struct {
		File file `json:"file"`
	}
	if err := a.api.call(ctx, a.bot, "files.info", url.Values{"file": {f.ID}}, &out); err != nil {
		a.log.WarnContext(ctx, "nothing is known of a file", "channel", a.name, "file", f.ID, "error", err)
		return f
	}
	return out.File
}

// opener returns how a file is fetched.
func (a *Adapter) opener(f file) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		body, err := a.api.download(ctx, a.bot, f)
		if err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The file %s could not be fetched from Slack: %s", f.called(), failureOf(err).Text)
		}
		return body, nil
	}
}

// download fetches a file with our token, which only Slack's hosts are shown. To whom it may not
// give the file, Slack shows a page for signing in.
func (c caller) download(ctx context.Context, token string, f file) (io.ReadCloser, error) {
	at, err := c.place(cmp.Or(f.Download, f.URL))
	if err != nil {
		return nil, err
	}
	const denied = "the app may not read files; add the scope files:read and install it again"
	resp, err := c.http.Open(ctx, httpcall.Request{
		Method: http.MethodGet, Address: at.String(), Header: http.Header{"Authorization": {"Bearer " + token}}, Within: fetchTimes * c.http.Within,
	})
	if err != nil {
		if no := httpcall.FailureOf(err); no.Status/100 == 3 {
			no.Text = denied
		}
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/html" && f.Mime != "text/html" {
		_ = resp.Body.Close() // not read
		return nil, &httpcall.Failure{Status: resp.StatusCode, Written: true, Text: denied}
	}
	return resp.Body, nil
}

// sendFile sends a file. One of which nobody knows whether it is there is looked for first, as
// long as we live: its id is not kept. Buttons need a message of their own after it.
func (a *Adapter) sendFile(ctx context.Context, o channel.Out) (string, error) {
	mark := markOf(o.Key)
	id, doubtful := a.shown.Get(mark)
	there := false
	if doubtful && o.Key != "" {
		ts, err := a.sent(ctx, o.Address, func(m posted) bool {
			return slices.ContainsFunc(m.Files, func(f file) bool { return f.ID == id })
		})
		if err != nil {
			return "", err
		}
		there = ts != ""
	}
	if !there {
		var err error
		if id, err = a.upload(ctx, o.File); err != nil {
			return "", err
		}
		a.shown.Put(mark, id)
		if err := a.show(ctx, id, o); err != nil {
			return "", err
		}
	}
	if len(o.Buttons) > 0 {
		o.File = nil
		ts, err := a.post(ctx, o)
		if err == nil {
			a.shown.Drop(mark)
		}
		return ts, err
	}
	a.shown.Drop(mark)
	return id, nil
}

// show has people see a file that was uploaded, the last of three steps
// (docs.slack.dev/messaging/working-with-files).
func (a *Adapter) show(ctx context.Context, id string, o channel.Out) error {
	files, err := json.Marshal([]map[string]string{{"id": id, "title": file{Name: o.File.Name, ID: id}.called()}})
	if err != nil {
		return &channel.Refusal{Text: err.Error()}
	}
	args := url.Values{"files": {string(files)}, "channel_id": {o.Chat}}
	if o.Branch != "" {
		args.Set("thread_ts", o.Branch)
	}
	if o.Text != "" && len(o.Buttons) == 0 {
		args.Set("initial_comment", o.Text)
	}
	if err := a.api.call(ctx, a.bot, "files.completeUploadExternal", args, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

// upload puts a file at Slack, where nobody sees it yet: whatever goes wrong, nothing was sent.
func (a *Adapter) upload(ctx context.Context, f *channel.File) (string, error) {
	if len(f.Raw) == 0 {
		return "", &channel.Refusal{Text: "Slack takes no empty file", Final: true}
	}
	var out struct {
		URL string `json:"upload_url"`
		ID  string `json:"file_id"`
	}
	args := url.Values{"filename": {file{Name: f.Name}.called()}, "length": {strconv.Itoa(len(f.Raw))}}
	if err := a.api.call(ctx, a.bot, "files.getUploadURLExternal", args, &out); err != nil {
		return "", nothingSeen(err)
	}
	if err := a.api.put(ctx, out.URL, f); err != nil {
		return "", nothingSeen(err)
	}
	return out.ID, nil
}

// put sends the bytes of a file. The address is the permission; it gets no token.
func (c caller) put(ctx context.Context, to string, f *channel.File) error {
	at, err := c.place(to)
	if err != nil {
		return err
	}
	out, err := c.http.Do(ctx, httpcall.Request{
		Method: http.MethodPost, Address: at.String(), Header: http.Header{"Content-Type": {"application/octet-stream"}}, Body: f.Raw, Within: fetchTimes * c.http.Within,
	})
	if err != nil {
		return err
	}
	if out.Status != http.StatusOK {
		return &httpcall.Failure{Status: out.Status, Written: true, Text: fmt.Sprintf("the file was not taken: status %d", out.Status), After: httpcall.RetryAfter(out.Header)}
	}
	return nil
}

// nothingSeen is a refusal, whatever failed.
func nothingSeen(err error) error {
	f := failureOf(err)
	if r, ok := f.verdict().(*channel.Refusal); ok { //nolint:errorlint // verdict returns nothing wrapped
		return r
	}
	return &channel.Refusal{Text: f.Text, After: f.After}
}
