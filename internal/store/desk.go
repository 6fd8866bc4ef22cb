package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/notify"
	"chela/internal/query"
)

// A Desk is the records, as they are or as they were at a moment.
type Desk struct {
	base
	past    bool                // it is that at the moment
	moment  int64               // a position of the log
	hint    string              // the index by which the narrow rows are read that stand
	had     map[string][]string // words → which records had them then that were superseded since
	project string              // whose narrow rows are asked for
	kind    desk.Kind           // of which they are
	within  []string            // the numbers of those that are asked for; nil for all
	sought  string              // what those that are asked for have, as the index by words is asked; "" for any words
	hadThen string              // which of those that were superseded since had it, as JSON
}

var _ clerk.Source = Desk{}

// recordColumns are what [scanRecord] reads of desk_earlier r.
var recordColumns = []string{"r.id", "r.kind", "r.project", "r.version", "r.deleted", "r.merged_into", "r.created_at", "r.updated_at", "r.created_by", "r.updated_by", "r.outside", "r.body", "r.seq"} //nolint:gochecknoglobals // a table

// Lists of columns: what [scanRecord] reads of desk_earlier r, and of desk_records r.
var (
	earlierFields = strings.Join(recordColumns, ", ")
	recordFields  = strings.Replace(earlierFields, "r.body", bodySQL, 1)
)

type recordRow struct {
	desk.Record
	seq int64
}

func scanRecord(scan func(...any) error) (recordRow, error) { return scanRecordAnd(scan) }

// scanRecordAnd scans a record and what follows it into more.
func scanRecordAnd(scan func(...any) error, more ...any) (r recordRow, err error) {
	var deleted, created, updated, outside int64
	var body string
	err = scan(append([]any{&r.ID, &r.Kind, &r.Project, &r.Version, &deleted, &r.MergedInto, &created, &updated, &r.CreatedBy, &r.UpdatedBy, &outside, &body, &r.seq}, more...)...)
	r.Deleted, r.CreatedAt, r.UpdatedAt, r.Outside, r.Body = deleted != 0, fromMicros(created), fromMicros(updated), outside != 0, json.RawMessage(body)
	return r, err
}

// IsPerson implements [clerk.Roster].
func (d Desk) IsPerson(ctx context.Context, id string) (bool, error) {
	_, err := People{d.base}.Person(ctx, id)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return false, nil
	}
	return err == nil, err
}

// projectDesk applies a desk event to its record.
func (tx *Tx) projectDesk(e event.Event) error {
	c, ok, err := desk.ChangeOf(e)
	if err != nil || !ok {
		return err
	}
	tx.topics[event.RecordsChanged] = true
	if notify.Heard(c, e.At) {
		tx.topics[event.PeopleConcerned] = true
	}
	tx.members = tx.members || c.Kind == desk.Project
	if c.Kind == desk.Project || c.Kind == desk.Reminder {
		tx.topics[event.PlanChanged] = true
	}
	var old standingRow
	rev := revised{at: int64(e.Seq), said: e.Message.Payload}
	if c.Op != desk.Created {
		if old, err = tx.standing(c.ID); err != nil {
			return err
		}
	}
	r, err := desk.Apply(old.Record, c, e.At, e.Message.From.AgentID)
	if err != nil {
		return err
	}
	rev.before, rev.after, rev.since, rev.seq = old.Record, r, old.since, cmp.Or(old.seq, rev.at)
	tx.keepMade(rev)
	if rev.is, err = desk.Decode(r); err != nil {
		return err
	}
	if old.ID != "" {
		if rev.was, err = desk.Decode(old.Record); err != nil {
			return err
		}
	}
	if err := tx.writeRecord(rev); err != nil {
		return err
	}
	if err := tx.do("INSERT INTO desk_changes (record, version, seq) VALUES (?,?,?)", r.ID, r.Version, rev.at); err != nil {
		return err
	}
	if err := tx.projectSearch(rev); err != nil {
		return err
	}
	if b, ok := rev.is.(*desk.MemoryBody); ok {
		if err := tx.indexMemory(r, b, rev.seq, c.Op == desk.Created); err != nil {
			return err
		}
	}
	return tx.relate(rev)
}

// writeRecord writes a record as a change left it.
func (tx *Tx) writeRecord(c revised) error {
	const insert = `INSERT INTO desk_records (id, kind, project, version, identity, title, status, deleted, merged_into, created_at, updated_at, created_by, updated_by, outside, seq, since, body_at, body) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	r, s, is := c.after, desk.SummaryOf(c.is), wholeBody(c.after.Body)
	args := func() []any {
		return []any{
			r.ID, string(r.Kind), r.Project, r.Version, s.Identity, s.Title, s.Status, flag(r.Deleted), r.MergedInto,
			micros(r.CreatedAt), micros(r.UpdatedAt), r.CreatedBy, r.UpdatedBy, flag(r.Outside), c.seq, c.at, is.at, is.text,
		}
	}
	if c.before.ID == "" { // one that is there cannot be created again
		is = spliced(c.said, r.Body)
		return tx.do(insert, args()...)
	}
	update := ` ON CONFLICT (id) DO UPDATE SET version = excluded.version, identity = excluded.identity, title = excluded.title,
		status = excluded.status, deleted = excluded.deleted, merged_into = excluded.merged_into, updated_at = excluded.updated_at,
		updated_by = excluded.updated_by, outside = excluded.outside, since = excluded.since`
	if string(r.Body) != string(c.before.Body) {
		update += ", body_at = excluded.body_at, body = excluded.body"
	}
	return tx.do(insert+update, args()...)
}

// relate writes what lists need of a change of a record, and keeps what it replaced.
func (tx *Tx) relate(c revised) error {
	was, err := listedOf(c.before, c.was)
	if err != nil {
		return err
	}
	if err := tx.keepEarlier(c, was); err != nil {
		return err
	}
	if err := tx.projectRefs(c); err != nil {
		return err
	}
	return tx.projectList(c, was)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Record implements [clerk.Store].
func (d Desk) Record(ctx context.Context, id string) (desk.Record, error) {
	rows, err := d.query(ctx, "SELECT "+recordFields+" FROM desk_records r WHERE r.id = ?", id)
	if err != nil {
		return desk.Record{}, fmt.Errorf("read record: %w", err)
	}
	r, err := first(rows, scanRecord)
	if errors.Is(err, sql.ErrNoRows) {
		return r.Record, fault.New(fault.NotFound, "The record %s does not exist.", id)
	}
	return r.Record, err
}

// Records implements [clerk.Store].
func (d Desk) Records(ctx context.Context, q clerk.Query) (clerk.Page, error) {
	page := clerk.Page{Records: []desk.Record{}}
	if q.Limit == clerk.All {
		err := d.Each(ctx, q, func(r desk.Record) error {
			page.Records = append(page.Records, r)
			return nil
		})
		page.Total = len(page.Records)
		return page, err
	}
	d, err := d.wordsThen(ctx, q)
	if err == nil {
		q, err = d.called(ctx, q)
	}
	if err == nil {
		q, err = d.referring(ctx, q)
	}
	if err != nil {
		return page, err
	}
	if l, ok := d.listing(q); ok {
		return l.page(ctx)
	}
	where, args := d.recordFilter(q)
	once := ""
	if q.Where != nil {
		once = Once
	}
	if err := d.single(ctx, once+"SELECT count(*) FROM desk_records r WHERE "+where, args, &page.Total); err != nil || page.Total == 0 {
		return page, err
	}
	if len(q.Sort) > 0 {
		sort := q.Sort.String()
		if q.Newest {
			sort += ",newest"
		}
		found, next, err := d.pageOf(ctx, sorted{
			from: "desk_records r", where: where, args: args, sort: sort, keys: d.keys(q.Sort, q.Newest),
			limit: cmp.Or(q.Limit, 100), cursor: q.Cursor,
		})
		page.Records, page.Next = append(page.Records, found...), next
		return page, err
	}
	limit := cmp.Or(q.Limit, 100)
	order, past := "ASC", ">"
	if q.Newest {
		order, past = "DESC", "<"
	}
	if q.Cursor != "" {
		seq, err := strconv.ParseInt(q.Cursor, 10, 64)
		if err != nil {
			return page, fault.BadField("cursor", "The cursor is not one that a page of an unsorted list gave. Ask without it for the first page.")
		}
		where, args = where+" AND r.seq "+past+" ?", append(args, seq)
	}
	rows, err := d.query(ctx, once+"SELECT "+recordFields+" FROM desk_records r WHERE "+where+" ORDER BY "+bySeq(q)+" "+order+limited(limit+1), args...)
	if err != nil {
		return page, fmt.Errorf("read records: %w", err)
	}
	found, err := all(rows, scanRecord)
	if len(found) > limit {
		found = found[:limit]
		page.Next = strconv.FormatInt(found[limit-1].seq, 10)
	}
	for _, r := range found {
		page.Records = append(page.Records, r.Record)
	}
	return page, err
}

// Each implements [clerk.Store].
func (d Desk) Each(ctx context.Context, q clerk.Query, fn func(desk.Record) error) error {
	d, err := d.wordsThen(ctx, q)
	if err == nil {
		q, err = d.called(ctx, q)
	}
	if err != nil {
		return err
	}
	where, args := d.recordFilter(q)
	once := ""
	if q.Where != nil {
		once = Once
	}
	rows, err := d.query(ctx, once+"SELECT "+recordFields+" FROM desk_records r WHERE "+where+" ORDER BY "+bySeq(q), args...)
	if err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	return each(rows, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		if err != nil {
			return err
		}
		return fn(r.Record)
	})
}

// bySeq is the order in which records were created. Of the few that a query names it is
// written so that no database walks through the whole list in that order to find them.
func bySeq(q clerk.Query) string {
	if q.Identity != "" || q.Known != nil || q.IDs != nil || q.RefTo != nil {
		return "r.seq + 0"
	}
	return "r.seq"
}

// timedKinds are those that the index desk_records_timed has, of all projects.
const timedKinds = "('project', 'reminder')"

func (d Desk) recordFilter(q clerk.Query) (string, []any) {
	postgres := d.db.Name() == "postgres"
	where, args := []string{"1 = 1"}, []any{}
	add := func(cond string, values ...any) { where, args = append(where, cond), append(args, values...) }
	project, kind := "r.project", "r.kind" // by which a database takes the index of the list, and not as these
	switch few := q.Identity != "" || q.Known != nil; {
	case postgres && few:
		project, kind = "(r.project || '')", "(r.kind || '')"
	case !postgres && (few || q.IDs != nil || q.RefTo != nil):
		project, kind = "+r.project", "+r.kind"
	}
	switch {
	case q.Project != "" && q.Shared:
		add(project+" IN (?, '')", q.Project)
	case q.Project != "":
		add(project+" = ?", q.Project)
	}
	if q.Kind != "" {
		add(kind+" = ?", string(q.Kind))
	}
	if q.Project == "" && strings.Contains(timedKinds, "'"+string(q.Kind)+"'") {
		add("r.kind IN " + timedKinds) // as the index says it, else SQLite reads all records
	}
	if q.Status != "" {
		add("r.status = ?", q.Status)
	}
	if q.Identity != "" {
		add("r.identity = ?", q.Identity)
	}
	if q.Known != nil {
		add("r.identity IN ("+marks(max(len(q.Known), 1))+")", orNone(q.Known)...)
	}
	if q.Text != "" {
		f := condition{postgres: postgres}
		cond := f.text(query.Contains, strings.ToValidUTF8(strings.ReplaceAll(q.Text, "\x00", ""), ""), "r.title")
		add(cond, f.args...)
	}
	if !q.Gone {
		add("r.deleted = 0 AND r.merged_into = ''")
	}
	if q.IDs != nil {
		add("r.id IN ("+marks(max(len(q.IDs), 1))+")", orNone(q.IDs)...)
	}
	if q.RefTo != nil {
		cond := "r.id IN (SELECT f.from_id FROM desk_refs f WHERE f.to_id IN (" + marks(max(len(q.RefTo), 1)) + ")"
		values := orNone(q.RefTo)
		if q.RefField != "" {
			cond, values = cond+" AND f.field = ?", append(values, q.RefField)
		}
		add(cond+")", values...)
	}
	if q.Where != nil {
		f := condition{postgres: postgres, past: d.past, had: d.had}
		cond := f.where(q.Where)
		add(cond, f.args...)
	}
	return strings.Join(where, " AND "), args
}

// orNone returns ids as arguments; an empty list matches nothing.
func orNone(ids []string) []any {
	if len(ids) == 0 {
		return []any{""}
	}
	return anys(ids)
}

// Changed implements [ask.Source]. A stream's positions are taken under its lock, so
// none appears later below one that is seen.
func (d Desk) Changed(ctx context.Context, project string, after int64, limit int) (out clerk.Changes, err error) {
	stream := desk.StreamOf(project)
	if out.End, err = d.db.rows(ctx).head(stream); err != nil || out.End == after {
		return out, err
	}
	n := 0
	err = d.db.rows(ctx).changes(stream, after, out.End, limit+1, func(payload string) error {
		if n++; n > limit {
			out.More = true
			return nil
		}
		var c struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(payload), &c); err != nil {
			return fmt.Errorf("read a change: %w", err)
		}
		if !slices.Contains(out.IDs, c.ID) {
			out.IDs = append(out.IDs, c.ID)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("read what changed: %w", err)
	}
	return out, err
}

// Hash implements [clerk.Source].
func (d Desk) Hash(ctx context.Context, project string, at int64) (hash string, err error) {
	if hash, err = d.db.rows(ctx).hash(desk.StreamOf(project), at); err != nil {
		err = fmt.Errorf("read the hash of an event: %w", err)
	}
	return hash, err
}

// ChangesOf calls fn with the changes of a project's records of some kinds past a position of its
// stream, oldest first, and returns the position up to which there are none more. Of their events it
// reads when, where, who and what.
func (d Desk) ChangesOf(ctx context.Context, project string, after int64, kinds []desk.Kind, fn func(event.Event) error) (end int64, err error) {
	stream := desk.StreamOf(project)
	if end, err = d.db.rows(ctx).head(stream); err != nil || end == after {
		return end, err
	}
	var types []string
	for _, k := range kinds {
		for _, op := range desk.Ops() {
			types = append(types, desk.EventType(k, op))
		}
	}
	if err := d.db.rows(ctx).ofKinds(stream, after, end, types, fn); err != nil {
		return end, fmt.Errorf("read what changed: %w", err)
	}
	return end, nil
}

// CountRecords counts the records of a project by kind.
func (d Desk) CountRecords(ctx context.Context, project string) (map[desk.Kind]int, error) {
	rows, err := d.query(ctx, "SELECT kind, CAST(sum(n) AS BIGINT) FROM desk_counts WHERE project = ? GROUP BY kind", project)
	if err != nil {
		return nil, fmt.Errorf("count records: %w", err)
	}
	out := make(map[desk.Kind]int)
	return out, each(rows, func(scan func(...any) error) error {
		var k desk.Kind
		var n int
		err := scan(&k, &n)
		out[k] = n
		return err
	})
}
