package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
)

// listOf is the number of the list of a kind's records in a project: 63 bits of a digest of both.
func listOf(project string, k desk.Kind) int64 {
	sum := sha256.Sum256([]byte(project + "\x00" + string(k)))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1) //nolint:gosec // the sign is shifted out
}

// listColumns are those of desk_lists that the record itself says.
var listColumns = func() []string { //nolint:gochecknoglobals // a table
	out := []string{"list", "seq", "id", "created_at", "updated_at", "since"}
	for i := range desk.NarrowNumbers {
		out = append(out, "n"+strconv.Itoa(i))
	}
	for i := range desk.NarrowTexts - 1 {
		out = append(out, "t"+strconv.Itoa(i))
	}
	return out
}()

// insertList adds a narrow row or writes it anew; who has the record stays.
var insertList = func() string { //nolint:gochecknoglobals // a statement
	set := make([]string, 0, len(listColumns))
	for _, c := range listColumns[2:] {
		set = append(set, c+" = excluded."+c)
	}
	return "INSERT INTO desk_lists (" + strings.Join(listColumns, ", ") + ") VALUES (" + marks(len(listColumns)) + ") ON CONFLICT (list, seq) DO UPDATE SET " + strings.Join(set, ", ")
}()

// insertOwned is as insertList with who has the record, who is looked for.
var insertOwned = func() string { //nolint:gochecknoglobals // a statement
	out := strings.Replace(insertList, ") VALUES (", ", "+desk.OwnerColumn+") VALUES (", 1)
	out = strings.Replace(out, ") ON CONFLICT", ", (SELECT min(p.identity) FROM "+strings.ReplaceAll(shares, "r.id", "CAST(? AS TEXT)")+")) ON CONFLICT", 1)
	return out + ", " + desk.OwnerColumn + " = excluded." + desk.OwnerColumn
}()

// A counted is what desk_counts counts by.
type counted struct {
	project string
	kind    desk.Kind
	status  string
}

// A listed is what lists need of a record; there is none of one that they leave out. Of records that join two others only
// how many there are is kept.
type listed struct {
	row    desk.NarrowRow
	status string
	there  bool
}

func listedOf(r desk.Record, t desk.Thing) (out listed, err error) {
	if r.ID == "" || r.Deleted || r.MergedInto != "" {
		return out, nil
	}
	s := desk.SummaryOf(t)
	out.status, out.there = s.Status, true
	if !r.Kind.Association() {
		out.row, err = desk.Narrow(r, s)
	}
	return out, err
}

// projectList writes the narrow row of a record, and how many there are.
func (tx *Tx) projectList(c revised, was listed) error {
	is, err := listedOf(c.after, c.is)
	if err != nil {
		return err
	}
	if err := tx.writeList(c, was, is); err != nil {
		return err
	}
	switch {
	case c.after.Kind.Association():
		return tx.projectShare(c)
	case c.after.Kind.Owns() && c.before.ID != "":
		return tx.renamed(c.after)
	}
	return nil
}

func (tx *Tx) writeList(c revised, was, is listed) error {
	r, seq := c.after, c.seq
	list := listOf(r.Project, r.Kind)
	for _, v := range was.row.Many {
		if !slices.Contains(is.row.Many, v) {
			if err := tx.dropValue(c.at, "list = ? AND field = ? AND value = ? AND seq = ? AND source = ''", list, v.Field, v.Value, seq); err != nil {
				return err
			}
		}
	}
	for _, v := range is.row.Many {
		if !slices.Contains(was.row.Many, v) {
			if err := tx.do("INSERT INTO desk_values (list, field, value, seq, source, since) VALUES (?, ?, ?, ?, '', ?)", list, v.Field, v.Value, seq, c.at); err != nil {
				return err
			}
		}
	}
	if was.there {
		tx.count(r, was.status, -1)
	}
	if is.there {
		tx.count(r, is.status, 1)
	}
	if r.Kind.Association() || !is.there && !was.there {
		return nil
	}
	if !is.there {
		delete(tx.rowOf, r.ID)
		return tx.do("DELETE FROM desk_lists WHERE list = ? AND seq = ?", list, seq)
	}
	args := append(make([]any, 0, len(listColumns)), list, seq, r.ID, micros(r.CreatedAt), micros(r.UpdatedAt), c.at)
	args = append(args, is.row.Numbers[:]...)
	return tx.keepRow(r, append(args, is.row.Texts[:desk.NarrowTexts-1]...))
}

// mostRows is how many narrow rows wait for the end of a transaction.
const mostRows = 500

// keepRow keeps a narrow row for the end of the transaction: who has the record is often said right after it.
func (tx *Tx) keepRow(r desk.Record, args []any) error {
	if tx.rowOf == nil {
		tx.rowOf = make(map[string]Statement)
	}
	statement := Statement{insertList, args}
	if r.Kind.Owned() {
		statement = Statement{insertOwned, append(args, r.ID)}
	}
	tx.rowOf[r.ID] = statement
	if len(tx.rowOf) < mostRows {
		return nil
	}
	rows, err := tx.rowsKept()
	if err != nil {
		return err
	}
	for _, s := range rows {
		if err := tx.do(s.SQL, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// rowsKept returns the statements that write the narrow rows, in the order of their lists.
func (tx *Tx) rowsKept() ([]Statement, error) {
	if err := tx.nameOwners(); err != nil {
		return nil, err
	}
	out := slices.Collect(maps.Values(tx.rowOf))
	tx.rowOf = nil
	slices.SortFunc(out, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(a.Args[0].(int64), b.Args[0].(int64)), cmp.Compare(a.Args[1].(int64), b.Args[1].(int64))) //nolint:forcetypeassert // the list and the position
	})
	return alike(out), nil
}

// count keeps for the end of the transaction that there are more or fewer records.
func (tx *Tx) count(r desk.Record, status string, n int64) {
	if tx.counts == nil {
		tx.counts = make(map[counted]int64)
	}
	tx.counts[counted{r.Project, r.Kind, status}] += n
}

// countsKept returns the statements that keep the counts.
func (tx *Tx) countsKept() (out []Statement) {
	for c, n := range tx.counts {
		if n == 0 {
			continue
		}
		out = append(out, Statement{
			"INSERT INTO desk_counts (project, kind, status, n) VALUES (?, ?, ?, ?) ON CONFLICT (project, kind, status) DO UPDATE SET n = desk_counts.n + excluded.n",
			[]any{c.project, string(c.kind), c.status, n},
		})
		if n < 0 {
			out = append(out, Statement{"DELETE FROM desk_counts WHERE project = ? AND kind = ? AND status = ? AND n = 0", []any{c.project, string(c.kind), c.status}})
		}
	}
	tx.counts = nil
	slices.SortFunc(out, func(a, b Statement) int { return strings.Compare(fmt.Sprint(a.Args), fmt.Sprint(b.Args)) })
	return out
}

// setOwner writes who has records of a list: the first by name.
var setOwner = "UPDATE desk_lists SET " + desk.OwnerColumn + " = (SELECT min(p.identity) FROM " + strings.ReplaceAll(shares, "r.id", "desk_lists.id") + ") WHERE list = ? AND " //nolint:gochecknoglobals // a statement

// shareOf is what an assignment joins; there is nothing of one that was deleted.
func shareOf(r desk.Record) (b desk.AssignmentBody, there bool, err error) {
	if r.ID == "" || r.Deleted || r.MergedInto != "" {
		return b, false, nil
	}
	b, err = desk.Open[desk.AssignmentBody](r)
	return b, true, err
}

// projectShare writes who has the tickets that an assignment names, or named. Its references are written already.
func (tx *Tx) projectShare(c revised) error {
	was, had, err := shareOf(c.before)
	if err != nil {
		return err
	}
	is, has, err := shareOf(c.after)
	if err != nil || had == has && was.TicketID == is.TicketID && was.ResourceID == is.ResourceID {
		return err
	}
	list := listOf(c.after.Project, desk.Ticket)
	if had {
		tx.share(was.TicketID, "", "") // who has it now is looked up
		if err := tx.dropValue(c.at, "list = ? AND field = 'owner' AND value = ? AND seq = (SELECT seq FROM desk_records WHERE id = ?) AND source = ?", list, was.ResourceID, was.TicketID, c.after.ID); err != nil {
			return err
		}
		if err := tx.owned(list, was.TicketID); err != nil {
			return err
		}
	}
	if !has {
		return nil
	}
	if t, ok := tx.made[is.TicketID]; ok {
		tx.share(is.TicketID, is.ResourceID)
		if err := tx.do("INSERT INTO desk_values (list, field, value, seq, source, since) VALUES (?, ?, ?, ?, ?, ?)", list, "owner", is.ResourceID, t.seq, c.after.ID, c.at); err != nil {
			return err
		}
	} else if err := tx.do("INSERT INTO desk_values (list, field, value, seq, source, since) SELECT CAST(? AS BIGINT), 'owner', CAST(? AS TEXT), seq, CAST(? AS TEXT), CAST(? AS BIGINT) FROM desk_records WHERE id = ?",
		list, is.ResourceID, c.after.ID, c.at, is.TicketID); err != nil {
		return err
	}
	return tx.owned(list, is.TicketID)
}

// owned writes who has a ticket, unless its narrow row is still to be written.
func (tx *Tx) owned(list int64, ticket string) error {
	if _, waits := tx.rowOf[ticket]; waits {
		return nil
	}
	return tx.do(setOwner+"seq = (SELECT seq FROM desk_records WHERE id = ?)", list, ticket)
}

// renamed writes anew who has the tickets of a person that changed.
func (tx *Tx) renamed(r desk.Record) error {
	list := listOf(r.Project, desk.Ticket)
	return tx.do(setOwner+"seq IN (SELECT v.seq FROM desk_values v WHERE v.list = ? AND v.field = 'owner' AND v.value = ?)", list, list, r.ID)
}

// FillLists makes what lists need of all records, what was superseded, and what of records follows from their changes,
// unless it is made as this program makes it already.
func (db *DB) FillLists(ctx context.Context) error {
	sum := sha256.Sum256([]byte(desk.NarrowForm + strings.Join(earlierColumns, ", ") + bodySQL))
	name := "desk_lists:" + hex.EncodeToString(sum[:8])
	if at, err := db.Log.Cursor(ctx, name); err != nil || at > 0 {
		return err
	}
	return db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.OrgStream) // another process waits here
		if at, err := tx.Cursor(name); err != nil || at > 0 {
			return err
		}
		for _, t := range []string{"desk_lists", "desk_values", "desk_counts", "desk_refs", "desk_earlier", "desk_earlier_refs", "desk_earlier_values"} {
			if err := tx.do("DELETE FROM " + t); err != nil {
				return err
			}
		}
		if err := tx.do("DELETE FROM log_cursors WHERE name LIKE 'desk_lists:%'"); err != nil {
			return err
		}
		if err := tx.fill(); err != nil {
			return fmt.Errorf("fill the lists: %w", err)
		}
		return tx.SetCursor(name, 1)
	})
}

// fill plays the changes of one record after the other.
func (tx *Tx) fill() error {
	var c revised
	var kept splice
	for {
		batch, err := tx.rows().read(changesPast(c.after.ID, c.after.Version))
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, e := range batch {
			change, _, err := desk.ChangeOf(e.Event)
			if err != nil {
				return err
			}
			if change.ID == c.after.ID {
				c.before, c.was, c.since = c.after, c.is, c.at
			} else {
				c = revised{seq: int64(e.Seq)}
			}
			c.at = int64(e.Seq)
			if c.after, err = desk.Apply(c.before, change, e.At, e.Message.From.AgentID); err != nil {
				return err
			}
			switch {
			case c.before.ID == "":
				kept = spliced(e.Message.Payload, c.after.Body)
			case string(c.before.Body) != string(c.after.Body):
				kept = wholeBody(c.after.Body)
			}
			if c.is, err = desk.Decode(c.after); err != nil {
				return err
			}
			if err := tx.relate(c); err != nil {
				return err
			}
			if err := tx.do("UPDATE desk_records SET body_at = ?, body = ? WHERE id = ? AND version = ? AND (body_at <> ? OR body <> ?)", kept.at, kept.text, c.after.ID, c.after.Version, kept.at, kept.text); err != nil {
				return err
			}
		}
	}
}
