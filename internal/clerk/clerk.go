// Package clerk is the only way a record changes: for people's edits, agents' tools
// and intakes alike. A [Work] loads, decides, and collects the events of one change;
// the caller appends them in one transaction, together with whatever else belongs to
// it. Somebody else's change in between makes that append a conflict, and [Do] plans
// anew.
package clerk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// A Clerk plans changes.
type Clerk struct {
	store  Store
	agents Agents // nil: there are none
}

// New returns a clerk over a store.
func New(s Store) *Clerk { return &Clerk{store: s} }

// Store returns what the clerk reads from.
func (c *Clerk) Store() Store { return c.store }

// A Work is one change being planned. What it has planned it sees itself. Not safe
// for concurrent use.
type Work struct {
	ctx     context.Context //nolint:containedctx // a work lives inside one call
	store   Store
	agents  Agents
	at      event.Place // who acts, in which run and task; the stream is the record's
	project string
	drafts  []event.Draft
	now     map[string]desk.Record   // as planned, by id
	ahead   map[string]desk.Record   // as recorded, by id, of those that were read at once
	had     map[string][]desk.Record // ticket → recorded assignments, of those that were read at once
	named   map[string]string        // kind and identity → id, of planned ones
	sought  map[string]string        // kind and identity → id, of those that were looked for at once; "" when there is none
	titles  map[string][]string      // kind and title → ids, of planned ones; a title that one had before stays
	fresh   []string                 // ids of what was planned since titles were noted
	shared  map[string][]string      // ticket → planned assignments
	dirty   map[string]bool          // ids of objectives whose coverage may be different
	closed  string                   // the project's name, when it is archived
	outside bool                     // what is planned came from outside
	settles bool                     // it says how something ended
	found   desk.Proof               // what was found of the contract of what is said to be done
	behalf  string                   // for whom an agent acts
	byHand  bool                     // what is planned is given just now
}

// For says for whom whoever plans acts, when that is somebody else.
func (w *Work) For(who event.Party) { w.behalf = who.AgentID }

// Proved says what was found of the contract of the record that the work says is done.
func (w *Work) Proved(p desk.Proof) { w.found = p }

// actor is who changes records.
func (w *Work) actor() desk.Actor {
	return desk.Actor{ID: cmp.Or(w.behalf, w.at.From.AgentID), Agent: w.at.From.Role == "agent", Found: w.found}
}

// FromOutside says that what is planned from now on came from outside: by intake or import, or by
// an agent that had seen such. The records keep that.
func (w *Work) FromOutside() { w.outside = true }

// Settle says that what is planned tells how something ended that had begun. An archived project takes that in, too.
func (w *Work) Settle() { w.settles = true }

// taking has what is planned come from outside when one of the records does whose words it takes
// over, until the function that it returns is called.
func (w *Work) taking(from ...desk.Record) (end func()) {
	was := w.outside
	w.outside = was || slices.ContainsFunc(from, func(r desk.Record) bool { return r.Outside })
	return func() { w.outside = was }
}

// Exists returns an error unless a project is there; a fault.NotFound says that it is not.
func (c *Clerk) Exists(ctx context.Context, project string) error {
	_, err := c.Begin(ctx, event.Place{}, project)
	return err
}

// Begin starts a work in a project; "" for what belongs to none. The project must
// exist.
func (c *Clerk) Begin(ctx context.Context, at event.Place, project string) (*Work, error) {
	w := &Work{ctx: ctx, store: c.store, agents: c.agents, at: at, project: project, now: make(map[string]desk.Record), ahead: make(map[string]desk.Record), had: make(map[string][]desk.Record), named: make(map[string]string), sought: make(map[string]string), titles: make(map[string][]string), shared: make(map[string][]string), dirty: make(map[string]bool)}
	if project != "" {
		r, err := w.Get(desk.Project, project)
		if err != nil {
			return nil, err
		}
		b, err := desk.Open[desk.ProjectBody](r)
		if err != nil {
			return nil, err
		}
		if b.Status == desk.ProjectArchived {
			w.closed = b.Name
		}
	}
	return w, nil
}

// checkOpen refuses changes of the records of an archived project. It may be deleted with
// them, and be made active again.
func (w *Work) checkOpen() error {
	if w.closed == "" || w.settles {
		return nil
	}
	if p, ok := w.now[w.project]; ok {
		b, err := desk.Open[desk.ProjectBody](p)
		if err != nil || p.Deleted || b.Status != desk.ProjectArchived {
			return err
		}
	}
	for id, r := range w.now {
		if id != w.project && r.Project == w.project {
			return fault.New(fault.Conflict, "The project %s is archived, so its records do not change. Make it active again first: chela project restore -p %q.", w.closed, w.closed)
		}
	}
	return nil
}

// Do plans with plan and appends with commit, again when somebody else changed the
// same records meanwhile, up to five times.
func (c *Clerk) Do(ctx context.Context, at event.Place, project string, commit func([]event.Draft) error, plan func(*Work) error) error {
	for try := 1; ; try++ {
		w, err := c.Begin(ctx, at, project)
		if err != nil {
			return err
		}
		if err := plan(w); err != nil {
			return err
		}
		drafts, err := w.Drafts()
		if err != nil {
			return err
		}
		if len(drafts) == 0 {
			return nil
		}
		if err = commit(drafts); err == nil || fault.KindOf(err) != fault.Conflict || try == 5 {
			return err
		}
	}
}

// Now is when the change is made.
func (w *Work) Now() time.Time { return w.store.Mint().Now().UTC() }

// Get returns a record of a kind in the work's project, as planned. One of another
// project does not exist.
func (w *Work) Get(k desk.Kind, id string) (desk.Record, error) {
	missing := fault.New(fault.NotFound, "The %s %s does not exist here.", k.Word(), id)
	r, ok := w.now[id]
	if !ok {
		var err error
		if r, err = w.recorded(id); err != nil {
			if fault.KindOf(err) == fault.NotFound {
				return r, missing
			}
			return r, err
		}
	}
	shared := k.Shared() && r.Project == ""
	if r.Kind != k || r.Deleted || k != desk.Project && r.Project != w.project && !shared {
		return r, missing
	}
	return r, nil
}

// List returns records of the work's project, as planned. What is planned and not recorded is not found. What it has read is not read
// again in this work: whoever changes one of them meanwhile is met when the plan is recorded.
func (w *Work) List(q Query) ([]desk.Record, error) {
	q.Project = w.project
	p, err := w.store.Records(w.ctx, q)
	if err != nil {
		return nil, err
	}
	for i, r := range p.Records {
		w.ahead[r.ID] = r
		if planned, ok := w.now[r.ID]; ok {
			p.Records[i] = planned
		}
	}
	return p.Records, nil
}

// AsSeen refuses with a conflict when a record has another version than the one that whoever
// changes it saw.
func (w *Work) AsSeen(k desk.Kind, id string, version int64) error {
	r, err := w.Get(k, id)
	if err == nil && r.Version != version {
		err = fault.New(fault.Conflict, "The %s %s was changed meanwhile: it has version %d, and you saw %d. Look at it again, then say what shall change.", k.Word(), id, r.Version, version)
	}
	return err
}

// Find returns the record of that identity, if there is one that is not deleted or
// merged. It is not read again in this work.
func (w *Work) Find(k desk.Kind, identity string) (desk.Record, bool, error) {
	if identity == "" {
		return desk.Record{}, false, nil
	}
	if id, ok := w.named[string(k)+" "+identity]; ok {
		return w.now[id], true, nil
	}
	id, known := w.sought[string(k)+" "+identity]
	if !known {
		p, err := w.store.Records(w.ctx, w.among(k, Query{Identity: identity}))
		if err != nil {
			return desk.Record{}, false, err
		}
		if len(p.Records) > 0 {
			id = w.read(p.Records[0])
		}
	}
	if id == "" {
		return desk.Record{}, false, nil
	}
	r, planned := w.now[id]
	if !planned {
		r = w.ahead[id]
	}
	return r, !r.Deleted && r.MergedInto == "", nil
}

// plan takes in a change.
func (w *Work) plan(c desk.Change, next desk.Record) {
	c.Outside = w.outside && (c.Op == desk.Created || c.Op == desk.Updated)
	next.Outside = next.Outside || c.Outside
	w.drafts = append(w.drafts, c.Draft(w.at))
	w.now[c.ID] = next
	w.fresh = append(w.fresh, c.ID)
}

// name makes a planned record findable by what it is.
func (w *Work) name(k desk.Kind, id string, s desk.Summary) {
	if s.Identity != "" {
		w.named[string(k)+" "+s.Identity] = id
	}
	if k != desk.Assignment {
		return
	}
	for _, ref := range s.Refs {
		if ref.Field == "ticketId" {
			w.shared[ref.ID] = append(w.shared[ref.ID], id)
		}
	}
}

// Drafts ends the planning: it adds what follows from the changes, such as
// coverage, and returns all events in order.
func (w *Work) Drafts() ([]event.Draft, error) {
	w.outside = false // what follows from the changes is computed
	if err := w.cover(); err != nil {
		return nil, err
	}
	if err := w.checkOpen(); err != nil {
		return nil, err
	}
	// Facts that are recorded at most once carry no key of the place they came from.
	out := slices.Clone(w.drafts)
	for i := range out {
		out[i].Message.IdempotencyKey = ""
	}
	return out, nil
}

// Add plans a record of a kind with a body, whose defaults it fills in.
func Add[T desk.Thing](w *Work, k desk.Kind, body T) (desk.Record, error) { return w.create(k, body) }

// Create plans a new record of a kind from outside JSON.
func (w *Work) Create(k desk.Kind, body json.RawMessage) (desk.Record, error) {
	var owner ownerInput
	if k.Owned() {
		var err error
		if body, owner, err = takeOwner(body); err != nil {
			return desk.Record{}, err
		}
	}
	thing, err := desk.Parse(k, body)
	if err == nil {
		err = desk.Alive(thing, w.Now())
	}
	if err != nil {
		return desk.Record{}, err
	}
	if err := w.alone(k, "", thing); err != nil {
		return desk.Record{}, err
	}
	r, err := w.create(k, thing)
	if err != nil || !k.Owned() {
		return r, err
	}
	return r, w.own(r.ID, owner)
}

func (w *Work) create(k desk.Kind, thing desk.Thing) (desk.Record, error) {
	project := w.project
	if desk.Everywhere(thing) {
		project = ""
	}
	if err := w.promised(thing); err != nil {
		return desk.Record{}, err
	}
	c, r, err := desk.New(w.store.Mint(), k, project, thing)
	if err != nil {
		return r, err
	}
	s := desk.SummaryOf(thing)
	if k.Unique() {
		if other, ok, err := w.Find(k, s.Identity); err != nil {
			return r, err
		} else if ok {
			return r, fault.New(fault.Conflict, "There is a %s named %q already: %s.", k.Word(), s.Title, other.ID)
		}
	}
	if err := w.check(thing, s); err != nil {
		return r, err
	}
	if err := w.given(nil, thing); err != nil {
		return r, err
	}
	w.plan(c, r)
	w.name(k, r.ID, s)
	w.soil(r)
	return r, w.follow(r)
}

// follow plans that a new record takes the place of the one of its kind that counted until
// now.
func (w *Work) follow(r desk.Record) error {
	status := r.Kind.Current()
	if status == "" {
		return nil
	}
	current, err := w.store.Records(w.ctx, Query{Project: w.project, Kind: r.Kind, Status: status, Limit: 1000})
	if err != nil {
		return err
	}
	for _, o := range current.Records {
		next, err := desk.Decode(w.now[r.ID])
		if err != nil {
			return err
		}
		before, err := desk.Decode(o)
		if err != nil {
			return err
		}
		desk.Succeed(next, before)
		if _, err := w.put(w.now[r.ID], next); err != nil {
			return err
		}
		if _, err := w.put(o, before); err != nil {
			return err
		}
	}
	return nil
}

// put plans that r has a body.
func (w *Work) put(r desk.Record, body any) (desk.Record, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return r, fmt.Errorf("encode edit of %s: %w", r.ID, err)
	}
	patch, err := desk.Difference(r.Body, raw)
	if err != nil || patch == nil {
		return r, err
	}
	return w.Patch(r.Kind, r.ID, patch)
}

// Patch plans an edit of a record from outside JSON: a merge patch whose nulls clear.
func (w *Work) Patch(k desk.Kind, id string, patch json.RawMessage) (desk.Record, error) {
	r, err := w.Get(k, id)
	if err == nil {
		err = w.authored(r)
	}
	if err != nil {
		return r, err
	}
	var owner ownerInput
	if k.Owned() {
		if patch, owner, err = takeOwner(patch); err != nil {
			return r, err
		}
	}
	c, next, changed, err := desk.Edit(r, patch)
	if err != nil {
		return r, err
	}
	if !changed && w.found == "" {
		return next, w.own(id, owner)
	}
	thing, err := desk.Decode(next)
	if err != nil {
		return r, err
	}
	settled, err := w.settled(r, thing)
	if err != nil {
		return r, err
	}
	if !changed && !settled {
		return next, w.own(id, owner)
	}
	if desk.End(thing, desk.DateOf(w.Now())) || settled {
		if c, next, err = ended(r, thing); err != nil {
			return r, err
		}
	}
	if k.Shared() && desk.Everywhere(thing) != (r.Project == "") {
		return r, fault.New(fault.Conflict, "Whether the %s %s belongs to all projects is decided when it is created. Create another.", k.Word(), id)
	}
	s := desk.SummaryOf(thing)
	if err := w.check(thing, s); err != nil {
		return r, err
	}
	if err := w.unlooped(r, s); err != nil {
		return r, err
	}
	if err := w.given(&r, thing); err != nil {
		return r, err
	}
	w.soil(r)
	w.plan(c, next)
	w.soil(next)
	return next, w.own(id, owner)
}

// ended is the edit of r that makes it what thing is, with what the rules of its kind added.
func ended(r desk.Record, thing desk.Thing) (desk.Change, desk.Record, error) {
	raw, err := json.Marshal(thing)
	if err != nil {
		return desk.Change{}, r, fmt.Errorf("encode %s: %w", r.ID, err)
	}
	patch, err := desk.Difference(r.Body, raw)
	if err != nil {
		return desk.Change{}, r, err
	}
	c, next, _, err := desk.Edit(r, patch)
	return c, next, err
}

// Edit plans an edit by the daemon itself: change is given the body as it is, of the
// type of the kind k, and leaves it as it shall be.
func Edit[B any](w *Work, k desk.Kind, id string, change func(*B)) (desk.Record, error) {
	r, err := w.Get(k, id)
	if err != nil {
		return r, err
	}
	body, err := desk.Open[B](r)
	if err != nil {
		return r, err
	}
	change(&body)
	return w.put(r, body)
}

// check reports what nobody may write, and a reference to something that is not in the
// project.
func (w *Work) check(thing desk.Thing, s desk.Summary) error {
	if err := desk.Written(thing); err != nil {
		return err
	}
	for _, ref := range s.Refs {
		if err := w.exists(ref); err != nil {
			return err
		}
	}
	return nil
}

func (w *Work) exists(ref desk.Ref) error {
	r, ok := w.now[ref.ID]
	if !ok {
		var err error
		r, err = w.recorded(ref.ID)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		if err == nil {
			ok = true
		}
	}
	if !ok || r.Deleted || r.Project != w.project && (r.Project != "" || !r.Kind.Shared()) {
		return fault.BadField(ref.Field, "There is no record "+ref.ID+" in this project.")
	}
	return nil
}
