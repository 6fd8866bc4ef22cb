// Package storetest holds the promises of the store; every backend must keep them.
package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
)

// An Opener returns a fresh database, and one that opens it again.
type Opener func(t *testing.T) (db *store.DB, again func() (*store.DB, error))

var noteKind = event.Kind[note]{Name: "log.note", PayloadType: "log.note.v1"}

type note struct {
	Text string `json:"text"`
}

func place(stream string) event.Place {
	return event.Place{Stream: stream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
}

func draft(stream, text string) event.Draft { return noteKind.Draft(place(stream), note{text}) }

// Test exercises databases made by open.
func Test(t *testing.T, open Opener) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Opener)
	}{
		{"AppendIsAllOrNothing", allOrNothing},
		{"KeysAreRecordedOnce", keysOnce},
		{"KeysAreRecordedOnceByManyAtOnce", keysOnceConcurrently},
		{"ExpectIsChecked", expect},
		{"StreamsAreChained", chained},
		{"TamperingIsNamed", tampering},
		{"ConcurrentWritersFailAlone", failAlone},
		{"ReadersMissNoLateCommit", lateCommit},
		{"CommittedIsThereAfterOpeningAgain", durable},
		{"EveryTableIsDeclared", declared},
		{"RebuildGivesIdenticalTables", rebuild},
		{"ClaimsAreFenced", fenced},
		{"OneNodeTakesOver", nodes},
		{"StepsAreFound", steps},
		{"RecordsConflict", conflict},
		{"ChangesAreNamed", changes},
		{"FiltersAdmitWhatTheyFind", filters},
		{"RunsAreFound", runs},
		{"TokensOpenOnce", tokens},
		{"TheClockIsToldWhatThereIs", boards},
		{"WhatIsAllowedIsRemembered", approvals},
		{"TheClockIsToldOfReminders", reminders},
		{"BusyAgentsAreKnown", busyAgents},
		{"AStreamIsHeld", held},
		{"WritersWakeReaders", wakes},
		{"TwoProcessesWriteInTurns", turnsTaken},
		{"TheOrganizationIsKeptBriefly", keptBriefly},
		{"ListsAreFiltered", filtered},
		{"WhatIsOfAllProjectsIsFoundWithEach", shared},
		{"ListsAreSortedPageAfterPage", sortedPages},
		{"CursorsFitTheirSort", cursors},
		{"TenThousandTickets", many},
		{"WordsAreFound", searched},
		{"WhatIsTypedIsData", hostile},
		{"FoundPageAfterPage", searchedPages},
		{"TwoCannotTakeTheLastCent", theLastCent},
		{"WhatIsCutOffCountsAsUsed", whatIsCutOff},
		{"CallsOfToolsAreReservedTogether", callsOfTools},
		{"SeatsAreCountedAcrossProcesses", seats},
		{"WhatARunWaitedIsKnown", waited},
		{"TimesAndIDsAreTheMints", minted},
		{"TheVaultChangesWithItsEvents", sealed},
		{"WhatLayInClearIsGone", unsealed},
		{"WhatWasReadIsKnown", reads},
		{"LayoutsAreTheirPersons", layouts},
		{"WhatCommandsAskIsKnown", commanded},
		{"MessagesWaitForTheirTurn", waits},
		{"AgentsInHandAreKnown", agentsInHand},
		{"DeliveriesGoInOrder", deliveries},
		{"ReceiptsSayWhatBecameOfDeliveries", receipts},
		{"MessagesAreShownAsTheyAreNow", revised},
		{"DraftsBecomeTheNextText", drafts},
		{"QuestionsInChatsTellHowTheyEnded", outcomes},
		{"AChatHasAConversation", chats},
		{"StrangersKnockOnce", knocks},
		{"ChannelsAreConfigured", configured},
		{"WhatModelsCostIsSummed", spent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open) })
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db *store.DB) int {
	t.Helper()
	n := 0
	for _, err := range db.After(t.Context(), 0) {
		check(t, err)
		n++
	}
	return n
}

func allOrNothing(t *testing.T, open Opener) {
	db, _ := open(t)
	bad := draft("org", "x")
	bad.Message.From.AgentID = "nobody"
	if _, err := db.Append(t.Context(), draft("org", "a"), bad); fault.KindOf(err) != fault.Invalid || err == nil {
		t.Fatalf("a bad draft: %v", err)
	}
	boom := errors.New("boom")
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Append(draft("org", "b")); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) || count(t, db) != 0 {
		t.Fatalf("%v, %d events", err, count(t, db))
	}
}

func keysOnce(t *testing.T, open Opener) {
	db, _ := open(t)
	d := draft("org", "a")
	d.Message.IdempotencyKey = "k"
	other := d
	other.Message.From.AgentID = "agent:other"
	byID := draft("org", "b")
	byID.Message.ID = "msg_fixed"
	for range 2 {
		_, err := db.Append(t.Context(), d, d, other, byID, byID)
		check(t, err)
	}
	if n := count(t, db); n != 3 {
		t.Fatalf("%d events, want 3: a key is per sender, an id for all", n)
	}
	e, err := db.ByKey(t.Context(), "agent:other", "k")
	check(t, err)
	if e.Message.From.AgentID != "agent:other" {
		t.Fatalf("found %+v", e)
	}
}

func keysOnceConcurrently(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	recorded := 0
	for i := range 16 {
		wait.Go(func() {
			d := draft(fmt.Sprintf("thread:thr_%d", i%4), "x")
			d.Message.IdempotencyKey = "same"
			out, err := db.Append(t.Context(), d)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			recorded += len(out)
		})
	}
	wait.Wait()
	if recorded != 1 || count(t, db) != 1 {
		t.Fatalf("%d said they recorded it, %d are there", recorded, count(t, db))
	}
}

func expect(t *testing.T, open Opener) {
	db, _ := open(t)
	at := func(n int64) event.Draft {
		d := draft("project:p", "x")
		d.Expect = &n
		return d
	}
	_, err := db.Append(t.Context(), at(0))
	check(t, err)
	if _, err := db.Append(t.Context(), at(0)); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("a stale append: %v", err)
	}
	_, err = db.Append(t.Context(), at(1))
	check(t, err)
}

func chained(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 10 {
				if _, err := db.Append(t.Context(), draft(fmt.Sprintf("s%d", (i+j)%3), "x"), draft("s9", "y")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	r, err := db.Verify(t.Context())
	check(t, err)
	if !r.OK() || r.Events != 160 || r.Streams != 4 {
		t.Fatalf("%+v", r)
	}
}

func tampering(t *testing.T, open Opener) {
	for name, sql := range map[string]string{
		"payload": `UPDATE log_events SET payload = '{"text":"changed"}' WHERE stream = 's' AND stream_seq = 2`,
		"sender":  `UPDATE log_events SET envelope = replace(envelope, 'agent:test', 'agent:evil') WHERE stream = 's' AND stream_seq = 2`,
		"missing": `DELETE FROM log_events WHERE stream = 's' AND stream_seq = 2`,
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := open(t)
			for i := range 4 {
				_, err := db.Append(t.Context(), draft("s", fmt.Sprint(i)))
				check(t, err)
			}
			check(t, db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), sql)
				return err
			}))
			r, err := db.Verify(t.Context())
			check(t, err)
			if len(r.Findings) != 1 || r.Findings[0].Stream != "s" {
				t.Fatalf("%+v", r)
			}
			if want := int64(2); name != "missing" && r.Findings[0].StreamSeq != want {
				t.Errorf("names event %d, want %d", r.Findings[0].StreamSeq, want)
			}
		})
	}
}

func failAlone(t *testing.T, open Opener) {
	db, _ := open(t)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.Append(draft(fmt.Sprintf("s%d", i), "x")); err != nil {
					return err
				}
				if i%4 == 0 {
					panic("a bug")
				}
				if i%4 == 1 {
					return errors.New("refused")
				}
				return nil
			})
			if (i%4 < 2) != (err != nil) {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wait.Wait()
	if n := count(t, db); n != 20 {
		t.Fatalf("%d events, want those of the 20 that succeeded", n)
	}
}

// lateCommit has a transaction that took its positions first commit last. A reader
// that remembers the highest position it saw (the naive way) would miss it.
func lateCommit(t *testing.T, open Opener) {
	db, _ := open(t)
	if db.Name() == "sqlite" {
		return // one writer: positions are taken and committed in one order
	}
	appended, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Append(draft("late", "first taken"))
			close(appended)
			<-release
			return err
		})
	}()
	<-appended
	_, err := db.Append(t.Context(), draft("early", "second taken"))
	check(t, err)
	var naive int64
	rows, err := db.Query(t.Context(), "SELECT max(seq) FROM log_events")
	check(t, err)
	for rows.Next() {
		check(t, rows.Scan(&naive))
	}
	check(t, rows.Close())
	seen, cursor, err := db.Events(t.Context(), 0, event.Filter{})
	check(t, err)
	if len(seen) != 0 {
		t.Fatalf("the reader passed a position that is still open: %v", seen)
	}
	close(release)
	check(t, <-done)
	rest, _, err := db.Events(t.Context(), cursor, event.Filter{})
	check(t, err)
	if len(rest) != 2 || rest[0].Stream != "late" {
		t.Fatalf("the reader found %d events after the late commit, want both in order", len(rest))
	}
	missed, _, err := db.Events(t.Context(), event.Seq(naive), event.Filter{})
	check(t, err)
	if len(missed) != 0 {
		t.Fatal("the naive cursor was expected to have passed the late event")
	}
}

func durable(t *testing.T, open Opener) {
	db, again := open(t)
	_, err := db.Append(t.Context(), draft("org", "kept"))
	check(t, err)
	check(t, db.Close())
	db, err = again()
	check(t, err)
	if count(t, db) != 1 {
		t.Fatal("the event is gone")
	}
	check(t, db.Close())
}

func declared(t *testing.T, open Opener) {
	db, _ := open(t)
	known := make(map[string]bool)
	for _, table := range store.Tables() {
		known[table.Name] = true
	}
	names, err := db.TableNames(t.Context())
	check(t, err)
	if len(names) < 15 {
		t.Fatalf("only %d tables", len(names))
	}
	for _, n := range names {
		if !known[n] {
			t.Errorf("the table %s is declared neither projection nor operational", n)
		}
	}
}

func rebuild(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 || r.Events < 10 {
		t.Fatalf("%d events, different: %v", r.Events, d)
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE desk_records SET title = 'not from the log' WHERE kind = 'ticket'")
		return err
	}))
	r, err = db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) != 1 || d[0] != "desk_records" {
		t.Fatalf("a change beside the log shows as %v", d)
	}
}

func fenced(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	s := store.Runs{DB: db}
	job := run.Job{Run: "run_1", Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_1"}
	claim := func(node string) (epoch int64) {
		check(t, s.Write(t.Context(), func(tx run.Tx) (err error) {
			var ok bool
			epoch, ok, err = tx.Claim(job, node)
			if err == nil && !ok {
				err = errors.New("there was nothing to claim")
			}
			return err
		}))
		return epoch
	}
	check(t, s.Write(t.Context(), func(tx run.Tx) error { return tx.Ready(job) }))
	first := claim("a")
	second := claim("b")
	err := s.Write(t.Context(), func(tx run.Tx) error { return tx.Fence("run_1", first) })
	if fault.KindOf(err) != fault.Conflict {
		t.Fatalf("the superseded epoch %d: %v", first, err)
	}
	check(t, s.Write(t.Context(), func(tx run.Tx) error { return tx.Fence("run_1", second) }))
	open1, parked, err := db.Jobs(t.Context())
	check(t, err)
	if len(open1) != 1 || len(parked) != 0 {
		t.Fatalf("open %v, parked %v", open1, parked)
	}
	check(t, s.Write(t.Context(), func(tx run.Tx) error { return tx.Park("run_1", time.Now().Add(time.Hour)) }))
	if err := s.Write(t.Context(), func(tx run.Tx) error { return tx.Fence("run_1", second) }); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("a parked run's epoch: %v", err)
	}
	open1, parked, err = db.Jobs(t.Context())
	check(t, err)
	if len(open1) != 0 || len(parked) != 1 {
		t.Fatalf("open %v, parked %v", open1, parked)
	}
	check(t, s.Write(t.Context(), func(tx run.Tx) error { return tx.Release("run_1") }))
	err = s.Write(t.Context(), func(tx run.Tx) error { _, ok, err := tx.Claim(job, "c"); _ = ok; return err })
	check(t, err)
}

func steps(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	at := place(event.ThreadStream("thr_1"))
	begin := run.AsStep(noteKind.Draft(at, note{"begin"}), "k", false)
	end := run.AsStep(noteKind.Draft(at, note{"end"}), "k", true)
	_, err := db.Append(t.Context(), begin)
	check(t, err)
	got, err := db.Steps(t.Context(), "run_1")
	check(t, err)
	if len(got) != 1 || !got[0].Begun || got[0].Done {
		t.Fatalf("%+v", got)
	}
	_, err = db.Append(t.Context(), end)
	check(t, err)
	if got, err = db.Steps(t.Context(), "run_1"); err != nil || !got[0].Done {
		t.Fatalf("%+v, %v", got, err)
	}
	if n, _, err := noteKind.Open(got[0].Event); err != nil || n.Text != "end" {
		t.Fatalf("%+v, %v", n, err)
	}
}

func conflict(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	tickets, err := db.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket})
	check(t, err)
	id := tickets.Records[0].ID
	a, _, _, err := desk.Edit(tickets.Records[0], json.RawMessage(`{"title":"B"}`))
	check(t, err)
	b, _, _, err := desk.Edit(tickets.Records[0], json.RawMessage(`{"title":"C"}`))
	check(t, err)
	_, err = db.Append(t.Context(), a.Draft(place("")))
	check(t, err)
	if _, err := db.Append(t.Context(), b.Draft(place(""))); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("an edit of an older version: %v", err)
	}
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			err := clerk.New(db).Do(t.Context(), place(""), project, commit(t.Context(), db), func(w *clerk.Work) error {
				_, err := w.Patch(desk.Ticket, id, json.RawMessage(fmt.Sprintf(`{"labels":["l%d"]}`, i)))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	r, err := db.Record(t.Context(), id)
	check(t, err)
	if r.Version != 6 {
		t.Fatalf("version %d after one edit and four at once, want 6", r.Version)
	}
}

func tokens(t *testing.T, open Opener) {
	db, _ := open(t)
	check(t, db.Grant(t.Context(), "secret", org.Access{Person: "per_1", Purpose: org.LoginToken}))
	_, err := db.Access(t.Context(), "secret")
	check(t, err)
	check(t, db.RedeemToken(t.Context(), "secret"))
	for _, err := range []error{db.RedeemToken(t.Context(), "secret"), func() error { _, err := db.Access(t.Context(), "secret"); return err }()} {
		if fault.KindOf(err) != fault.Unauthenticated {
			t.Fatalf("a used link: %v", err)
		}
	}
	check(t, db.Grant(t.Context(), "stale", org.Access{Person: "per_1", Purpose: org.APIToken, ExpiresAt: time.Now().Add(-time.Minute)}))
	if _, err := db.Access(t.Context(), "stale"); fault.KindOf(err) != fault.Unauthenticated {
		t.Fatalf("an expired token: %v", err)
	}
	check(t, db.Grant(t.Context(), "open", org.Access{Person: "per_1", Purpose: org.APIToken, Label: "laptop"}))
	_, _, _ = db.Guest(t.Context(), "open") // it is kept in memory now; there is nobody of that id
	list, err := db.Tokens(t.Context())
	check(t, err)
	if len(list) != 1 || list[0].Label != "laptop" || list[0].Person != "per_1" || list[0].ID == "" {
		t.Fatalf("what opens something: %+v", list)
	}
	draft := org.TokenRevokedKind.Draft(place(event.OrgStream), org.TokenRevoked{ID: list[0].ID, Purpose: org.APIToken})
	check(t, db.Revoke(t.Context(), list[0].ID, draft))
	if _, _, err := db.Guest(t.Context(), "open"); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a revoked token: %v", err)
	}
	if err := db.Revoke(t.Context(), list[0].ID, draft); fault.KindOf(err) != fault.NotFound {
		t.Errorf("revoked twice: %v", err)
	}
}
