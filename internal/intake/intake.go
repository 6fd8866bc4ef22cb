// Package intake takes content in: pasted text and files become records, first by
// rule, then with what a model adds. An intake is one run that plays a table of
// phases (phases.go); each is recorded when it is over, so that a crash or a failed
// phase loses nothing and the intake can be tried again from there.
package intake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"chela/internal/agent"
	"chela/internal/artifact"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/stream"
)

// RunKind is the kind of run that plays an intake.
const RunKind = "intake"

// MaxFiles is how many files one intake takes.
const MaxFiles = 20

// A File is one document handed in.
type File struct {
	Name string
	Data []byte
}

// A Submission is content handed in. Text, files, or both.
type Submission struct {
	Project string
	Text    []byte
	Files   []File
	Uploads []string // ids of files that were kept before
	By      event.Party
	Title   string // of pasted text; its first line when empty
	// Mapping says in which column of a tracker's export each field stands, see
	// [extract.Map]; nil means the one remembered, or what the rules find.
	Mapping map[string]string
	// Live is the address of the tracker that was read, when the content is what had changed there: rules alone read it, and
	// what it does not name is as it was.
	Live string
}

// A Receipt says what became of a submission.
type Receipt struct {
	Intake string `json:"intakeId"`
	Run    string `json:"runId"`
	Thread string `json:"threadId"`
	// Again says that the same content was taken in before; nothing was added.
	Again bool `json:"again,omitempty"`
}

// Specialists lets one agent work within the intake's run.
type Specialists interface {
	Pipeline(ctx context.Context, s *run.Segment, key string, id org.AgentID, input, title string, form *agent.Form, timeout time.Duration) (string, error)
}

// Models says whether a model can be asked.
type Models interface{ Ready() bool }

// Artifacts keeps the raw bytes.
type Artifacts interface {
	Put(b []byte) (artifact.Ref, error)
	Get(ref artifact.Ref) ([]byte, error)
}

// An Intake takes content in and plays the phases.
type Intake struct {
	runs   *run.Engine
	clerk  *clerk.Clerk
	arts   Artifacts
	agents Specialists
	models Models
	hub    *stream.Hub
	people People // nil where nobody is told of anything

	parsing *semaphore.Weighted // of the bytes of documents that are being read
}

// mostParsed is how many bytes of documents are read at the same time; what is larger is read alone.
const mostParsed = 64 << 20

// New returns an intake whose runs the engine works.
func New(runs *run.Engine, c *clerk.Clerk, arts Artifacts, agents Specialists, models Models, hub *stream.Hub) *Intake {
	return &Intake{runs: runs, clerk: c, arts: arts, agents: agents, models: models, hub: hub, parsing: semaphore.NewWeighted(mostParsed)}
}

// input is what an intake's run is started with.
type input struct {
	Intake string `json:"intake"`
	Try    int    `json:"try"`
}

// content is what was handed in, as it lies among the artifacts.
type content struct {
	Documents []doc             `json:"documents"`
	Mapping   map[string]string `json:"mapping,omitempty"`
	Live      string            `json:"live,omitempty"` // see [Submission]
}

type doc struct {
	Name     string `json:"name"`
	Artifact string `json:"artifact"`
	Bytes    int    `json:"bytes"`
	Paste    bool   `json:"paste,omitempty"`
}

// Submit keeps the content and starts the run. The same content again adds nothing.
func (in *Intake) Submit(ctx context.Context, s Submission) (Receipt, error) {
	c, err := in.keep(ctx, s)
	if err != nil {
		return Receipt{}, err
	}
	if err := in.mapped(ctx, c); err != nil {
		return Receipt{}, err
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return Receipt{}, fmt.Errorf("encode content: %w", err)
	}
	ref, err := in.arts.Put(raw)
	if err != nil {
		return Receipt{}, err
	}
	digest := digestOf(c)
	var out Receipt
	for try := 1; ; try++ {
		out, err = in.begin(ctx, s, c, string(ref), digest)
		if err == nil || fault.KindOf(err) != fault.Conflict || try == 5 {
			return out, err
		}
	}
}

// keep stores the raw bytes of everything.
func (in *Intake) keep(ctx context.Context, s Submission) (content, error) {
	c := content{Mapping: s.Mapping, Live: s.Live}
	pasted := len(bytes.TrimSpace(s.Text)) > 0
	if !pasted && len(s.Files)+len(s.Uploads) == 0 {
		return c, fault.BadField("text", "There is nothing to import: paste a text or add files.")
	}
	if n := len(s.Files) + len(s.Uploads); n > MaxFiles {
		return c, fault.New(fault.TooLarge, "These are %d files; one intake takes up to %d.", n, MaxFiles)
	}
	if pasted {
		name := s.Title
		if name == "" {
			name = "pasted text"
		}
		s.Files = append([]File{{Name: name, Data: s.Text}}, s.Files...)
	}
	for i, f := range s.Files {
		ref, err := in.arts.Put(f.Data)
		if err != nil {
			return c, err
		}
		c.Documents = append(c.Documents, doc{Name: f.Name, Artifact: string(ref), Bytes: len(f.Data), Paste: i == 0 && pasted})
	}
	return c, in.kept(ctx, s, &c)
}

// kept adds the documents that were uploaded before.
func (in *Intake) kept(ctx context.Context, s Submission, c *content) error {
	if len(s.Uploads) == 0 {
		return nil
	}
	w, err := in.clerk.Begin(ctx, event.Place{From: s.By}, s.Project)
	if err != nil {
		return err
	}
	for _, id := range s.Uploads {
		r, err := w.Get(desk.Upload, id)
		if err != nil {
			return err
		}
		b, err := desk.Open[desk.UploadBody](r)
		if err != nil {
			return err
		}
		c.Documents = append(c.Documents, doc{Name: b.Title, Artifact: b.Artifact, Bytes: b.Bytes, Paste: b.Source == "paste"})
	}
	return nil
}

// Keep keeps a file as an upload of a project, recorded with commit; one with the same
// bytes is the same.
func (in *Intake) Keep(ctx context.Context, at event.Place, project string, f File, commit func([]event.Draft) error) (r desk.Record, made bool, err error) {
	ref, err := in.arts.Put(f.Data)
	if err != nil {
		return r, false, err
	}
	err = in.clerk.Do(ctx, at, project, commit, func(w *clerk.Work) error {
		w.FromOutside()
		r, made, err = clerk.Ensure(w, desk.Upload, &desk.UploadBody{Source: "file", Title: f.Name, Artifact: string(ref), Bytes: len(f.Data)})
		return err
	})
	return r, made, err
}

func digestOf(c content) string {
	var refs []string
	for _, d := range c.Documents {
		refs = append(refs, d.Artifact)
	}
	slices.Sort(refs)
	for _, f := range slices.Sorted(maps.Keys(c.Mapping)) {
		refs = append(refs, f+"="+c.Mapping[f])
	}
	sum := sha256.Sum256([]byte(strings.Join(refs, "\n")))
	return hex.EncodeToString(sum[:])
}

func (in *Intake) begin(ctx context.Context, s Submission, c content, ref, digest string) (Receipt, error) {
	id := run.ID(in.clerk.Store().Mint().ID("run"))
	at := event.Place{Thread: in.clerk.Store().Mint().ID("thr"), Run: string(id), Task: run.RootTask(id), From: s.By, Trace: run.TraceOf(ctx)}
	w, err := in.clerk.Begin(ctx, at, s.Project)
	if err != nil {
		return Receipt{}, err
	}
	if old, ok, err := w.Find(desk.Intake, digest); err != nil {
		return Receipt{}, err
	} else if ok {
		b, err := desk.Open[desk.IntakeBody](old)
		if err != nil {
			return Receipt{}, err
		}
		failed, err := in.failed(ctx, b)
		if err == nil && failed {
			return in.Retry(ctx, s.Project, old.ID, s.By)
		}
		return Receipt{Intake: old.ID, Run: b.RunID, Thread: b.ThreadID, Again: true}, err
	}
	w.FromOutside()
	body := &desk.IntakeBody{Title: title(c), Digest: digest, Artifact: ref, RunID: string(id), ThreadID: at.Thread, Phases: plan()}
	r, err := clerk.Add(w, desk.Intake, body)
	if err != nil {
		return Receipt{}, err
	}
	for _, d := range c.Documents {
		source := "file"
		if d.Paste {
			source = "paste"
		}
		if c.Live != "" {
			source = "network"
		}
		up := &desk.UploadBody{Source: source, SourceURL: c.Live, Title: d.Name, Artifact: d.Artifact, Bytes: d.Bytes, IntakeID: r.ID}
		kept, isNew, err := clerk.Ensure(w, desk.Upload, up)
		if err == nil && !isNew { // it was uploaded before
			_, err = clerk.Edit(w, desk.Upload, kept.ID, func(b *desk.UploadBody) {
				if b.IntakeID == "" {
					b.IntakeID = r.ID
				}
			})
		}
		if err != nil {
			return Receipt{}, err
		}
	}
	drafts, err := w.Drafts()
	if err != nil {
		return Receipt{}, err
	}
	out := Receipt{Intake: r.ID, Run: string(id), Thread: at.Thread}
	return out, in.start(ctx, at, s.Project, body.Title, input{Intake: r.ID, Try: 1}, drafts)
}

func title(c content) string {
	names := make([]string, len(c.Documents))
	for i, d := range c.Documents {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}

func (in *Intake) start(ctx context.Context, at event.Place, project, title string, i input, drafts []event.Draft) error {
	raw, err := json.Marshal(i)
	if err != nil {
		return fmt.Errorf("encode input: %w", err)
	}
	at.Stream = event.ThreadStream(at.Thread)
	request := at
	request.To = []event.Party{run.Chela()}
	return in.runs.Write(ctx, func(b *run.Batch) error {
		all := append(slices.Clone(drafts), run.RequestKind.Draft(request, run.TaskRequest{Title: "Import " + title}))
		return b.Start(run.Spec{
			ID: run.ID(at.Run), Thread: at.Thread, Project: project, Kind: RunKind, Lane: run.UserLane, Title: "Intake: " + title, Input: raw, By: at.From, Trace: at.Trace,
		}, all...)
	})
}

// Retry goes on with an intake that failed, from the phase that did.
func (in *Intake) Retry(ctx context.Context, project, id string, by event.Party) (Receipt, error) {
	runID := run.ID(in.clerk.Store().Mint().ID("run"))
	at := event.Place{Run: string(runID), Task: run.RootTask(runID), From: by}
	var out Receipt
	r, err := in.clerk.Store().Record(ctx, id)
	if err != nil {
		return out, err
	}
	b, err := desk.Open[desk.IntakeBody](r)
	if err != nil {
		return out, err
	}
	failed, err := in.failed(ctx, b)
	if err != nil {
		return out, err
	}
	if !failed && !(b.Status == desk.IntakeDispatched && b.Modelless) {
		return out, fault.New(fault.Conflict, "The intake %s is %s; only one that failed, or that no model has read, can be tried again.", id, b.Status)
	}
	at.Thread = b.ThreadID
	w, err := in.clerk.Begin(ctx, at, project)
	if err != nil {
		return out, err
	}
	_, err = clerk.Edit(w, desk.Intake, id, func(b *desk.IntakeBody) {
		b.Status, b.RunID, b.Modelless = desk.IntakeProcessing, string(runID), false
		phases := table()
		for i, ph := range b.Phases {
			unread := i < len(phases) && phases[i].model != nil && !strings.Contains(ph.By, "model")
			if ph.Status == "failed" || ph.Status == "running" || unread {
				b.Phases[i].Status, b.Phases[i].Summary = "pending", ""
			}
		}
	})
	if err != nil {
		return out, err
	}
	drafts, err := w.Drafts()
	if err != nil {
		return out, err
	}
	return Receipt{Intake: id, Run: string(runID), Thread: b.ThreadID}, in.start(ctx, at, project, b.Title, input{Intake: id, Try: 2}, drafts)
}

// parse waits until documents may be read without too many others in memory.
func (in *Intake) parse(ctx context.Context, c content) (done func(), err error) {
	n := int64(0)
	for _, d := range c.Documents {
		n += int64(d.Bytes)
	}
	n = min(n, mostParsed)
	if err := in.parsing.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { in.parsing.Release(n) }, nil
}

// documents reads everything that was handed in. What cannot be used at all becomes a
// problem; the rest is read.
func (in *Intake) documents(c content) ([]source, []string, error) {
	var out []source
	var problems []string
	for _, d := range c.Documents {
		raw, err := in.arts.Get(artifact.Ref(d.Artifact))
		if err != nil {
			return nil, nil, err
		}
		read, unread := d.read(raw)
		out, problems = append(out, read...), append(problems, unread...)
	}
	return out, problems, nil
}

// content is what was handed in with an intake.
func (in *Intake) content(b desk.IntakeBody) (c content, err error) {
	raw, err := in.arts.Get(artifact.Ref(b.Artifact))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("read content of the intake: %w", err)
	}
	return c, nil
}

// read reads a document and what it holds.
func (d doc) read(raw []byte) (out []source, problems []string) {
	name := d.Name
	if d.Paste { // what it is, its text says
		name = strings.TrimSuffix(name, ".csv") + ".txt"
	}
	read, unread, err := document.ReadAll(name, raw, document.Limits{})
	if err != nil {
		return nil, []string{strings.Replace(fault.TextOf(err), name, d.Name, 1)}
	}
	for _, p := range unread {
		problems = append(problems, sentence(d.Name, p))
	}
	for _, r := range read {
		if exportedHere(r, raw) {
			problems = append(problems, fmt.Sprintf(exportSaid, d.Name))
			continue
		}
		beside, draws := "", false
		if len(read) == 1 {
			r, beside, draws = withListed(r, raw)
		}
		part := d
		part.Name = strings.Replace(r.Name, name, d.Name, 1)
		for _, p := range r.Problems {
			problems = append(problems, sentence(part.Name, p))
		}
		out = append(out, source{doc: part, Doc: r, beside: beside, draws: draws, once: new(reading)})
	}
	return out, problems
}

// A source is one document, or one member of an archive or a mail, with where it came
// from.
type source struct {
	doc
	document.Doc
	beside string   // the text around the tables that it draws or lists
	draws  bool     // its text draws or lists its tables
	rows   []int    // of each table, once they were recorded and are forgotten
	once   *reading // what the text says, which every phase that asks shares; nil where nobody else does
}

// shownRows is how many rows of a table a model is shown.
const shownRows = 20

// count is how many rows a table of the document has, or had.
func (s *source) count(table int) int {
	if s.rows != nil {
		return s.rows[table]
	}
	return len(s.Tables[table].Rows)
}

// forget keeps of the tables what a model is shown: they are recorded, and may be large.
func (s *source) forget() {
	if s.rows != nil {
		return
	}
	s.rows = make([]int, len(s.Tables))
	s.Tables = slices.Clone(s.Tables)
	for i := range s.Tables {
		t := &s.Tables[i]
		s.rows[i] = len(t.Rows)
		t.Header = copied(t.Header)
		t.Rows = slices.Clone(t.Rows[:min(len(t.Rows), shownRows)])
		for j := range t.Rows {
			t.Rows[j].Cells = copied(t.Rows[j].Cells)
		}
	}
}

// copied returns texts that do not hold the whole text that they were cut out of.
func copied(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = strings.Clone(s)
	}
	return out
}

// sentence is a problem with the name of its document, once.
func sentence(name string, p document.Problem) string {
	if strings.HasPrefix(p.Text, name) {
		return p.Text
	}
	return name + ", " + p.String()
}
