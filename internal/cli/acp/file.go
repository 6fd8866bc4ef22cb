package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"chela/internal/approval"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/session"
)

// The tools of an editor, as agents know them.
const (
	readFile  = "read_text_file"
	writeFile = "write_text_file"
)

// The arguments of the editor's tools. The help of a schema is what an agent is told.
const (
	readSchema  = `{"type":"object","properties":{"path":{"type":"string","description":"absolute, or relative to the folder"},"line":{"type":"integer","minimum":1,"description":"the first line; 1 when left out"},"limit":{"type":"integer","minimum":1,"description":"how many lines"}},"required":["path"],"additionalProperties":false}`
	writeSchema = `{"type":"object","properties":{"path":{"type":"string","description":"absolute, or relative to the folder"},"content":{"type":"string","description":"all that the file has then"}},"required":["path","content"],"additionalProperties":false}`
)

// A fileCall are the arguments of a call.
type fileCall struct {
	Path    string  `json:"path"`
	Line    int     `json:"line,omitempty"`
	Limit   int     `json:"limit,omitempty"`
	Content *string `json:"content,omitempty"`
}

// tools are those that the editor has for agents: its files, in the folder of the session.
func (v *conversation) tools() []client.ClientTool {
	reads, writes := v.editor.files()
	var out []client.ClientTool
	if reads {
		out = append(out, client.ClientTool{
			Name: readFile, Schema: json.RawMessage(readSchema),
			Help: new("Reads a text file as it is in the person's editor, also what is not saved yet. Only files in the folder " + v.cwd + " of their machine."),
		})
	}
	if writes {
		out = append(out, client.ClientTool{
			Name: writeFile, Schema: json.RawMessage(writeSchema),
			Help: new("Writes a text file through the person's editor, whole. The person is shown the change and asked first. Only files in the folder " + v.cwd + " of their machine."),
		})
	}
	return out
}

// serve makes the calls that an agent asks the editor for, and brings their results, beside what else happens.
func (v *conversation) serve(ctx context.Context, id string, q session.ClientCalls) {
	key := "client:" + q.ID
	if _, there := v.asks[key]; there {
		return
	}
	calls := make([]call, len(q.Calls))
	for i, c := range q.Calls {
		calls[i] = call{title: titleOf(c.As, c.Args), state: working, args: c.Args}
		calls[i].id, _ = v.callID(id, c.Call)
	}
	ctx, withdraw := context.WithCancel(ctx)
	v.asks[key] = asking{id, withdraw}
	v.all.Go(func() {
		defer withdraw()
		var in client.ClientResultsBody
		for i, c := range q.Calls {
			text, err := v.perform(ctx, c, calls[i])
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				text = fault.TextOf(err)
			}
			in.Results = append(in.Results, client.ClientResult{CallID: c.ID, Text: text, Failed: new(err != nil)})
		}
		err := v.retry(func(cl *client.Client) error {
			_, err := cl.ReturnResults(ctx, id, in)
			return err
		})
		if err != nil && ctx.Err() == nil {
			v.logf("The results of the editor's tools did not reach the daemon: %s", fault.TextOf(err))
		}
	})
}

// perform makes a call.
func (v *conversation) perform(ctx context.Context, c session.ClientCall, shown call) (string, error) {
	var in fileCall
	if err := event.DecodeStrict(c.Args, &in); err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit: %s", c.As, fault.TextOf(err))
	}
	path, err := v.inFolder(in.Path)
	if err != nil {
		return "", err
	}
	shown.places = []string{path}
	switch {
	case c.As == readFile:
		shown.kind = "read"
		text, err := v.editor.readFile(ctx, v.id, path, max(in.Line, 0), max(in.Limit, 0))
		if err != nil {
			return "", fault.Wrap(err, fault.Unavailable, "The editor did not read %s: %v.", path, err)
		}
		return cut(text), nil
	case c.As == writeFile && in.Content != nil:
		shown.kind = "edit"
		return v.write(ctx, path, *in.Content, shown)
	}
	return "", fault.New(fault.Invalid, "%s needs a path and a content.", c.As)
}

// mostFile bounds what is brought of a file, in bytes.
const mostFile = 1 << 20

func cut(text string) string {
	if len(text) <= mostFile {
		return text
	}
	return strings.ToValidUTF8(text[:mostFile], "") + "\n[The file goes on. Read the rest with line and limit.]"
}

// write writes a file when the person allows it.
func (v *conversation) write(ctx context.Context, path, content string, shown call) (string, error) {
	d := diff{path: path, new: content, fresh: true}
	if reads, _ := v.editor.files(); reads {
		if old, err := v.editor.readFile(ctx, v.id, path, 0, 0); err == nil {
			d.old, d.fresh = old, false
		}
	}
	shown.diffs, shown.state = []diff{d}, pending
	if disk.Startup(path) {
		shown.text = "**Note:** programs run what is in this file by themselves."
	}
	said, err := v.editor.permit(ctx, v.id, shown, []choice{{id: approval.Approve, name: "Allow", allows: true}, {id: approval.Refuse, name: "Deny"}})
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The editor did not ask whether %s may be written.", path)
	}
	if said != approval.Approve {
		return "", fault.New(fault.Denied, "The person denied writing %s. Do without it, or ask what to do instead.", path)
	}
	if again, err := v.inFolder(path); err != nil || again != path { // while the person thought
		return "", cmp.Or(err, error(fault.New(fault.Conflict, "%s is not where it was any more.", path)))
	}
	if err := v.editor.writeFile(ctx, v.id, path, content); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The editor did not write %s: %v.", path, err)
	}
	return fmt.Sprintf("%s is written, %d bytes.", path, len(content)), nil
}

// inFolder is a path that lies in the folder of the session, also where its links lead, and holds no secrets.
func (v *conversation) inFolder(said string) (string, error) {
	path := filepath.Clean(said)
	if !filepath.IsAbs(path) {
		path = filepath.Join(v.cwd, path)
	}
	folder, err := filepath.EvalSymlinks(v.cwd)
	if err != nil {
		return "", fault.Wrap(err, fault.NotFound, "The folder %s of the session is not there.", v.cwd)
	}
	leads, err := realOf(path)
	if err != nil {
		return "", err
	}
	if said == "" || path == filepath.Clean(v.cwd) || !disk.Within(filepath.Clean(v.cwd), path) || !disk.Within(folder, leads) {
		return "", fault.New(fault.Denied, "%q is no file in the folder %s of the session.", said, v.cwd)
	}
	if disk.Secret(path) || disk.Secret(leads) {
		return "", fault.New(fault.Denied, "%s holds secrets, which agents neither read nor write here.", path)
	}
	return path, nil
}

// realOf follows the links of a path as far as it is there.
func realOf(path string) (string, error) {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		leads, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(leads, rest), nil
		}
		if info, known := os.Lstat(at); known == nil && info.Mode()&os.ModeSymlink != 0 || at == filepath.Dir(at) { // a link that leads nowhere
			return "", fault.Wrap(err, fault.Denied, "It is not known where %s leads.", path)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
