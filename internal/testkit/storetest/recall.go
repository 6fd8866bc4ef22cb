package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/session"
	"chela/internal/store"
)

func asPerson(id string) event.Place {
	at := place("")
	at.From = org.Person{ID: id}.Party()
	return at
}

// noted writes a note of a person.
func noted(t *testing.T, db *store.DB, person, id, content string) {
	t.Helper()
	_, err := db.Log.Append(t.Context(), memory.NotedKind.Draft(memory.Place(asPerson(person), person), memory.Note{ID: id, Key: id, Content: content}))
	check(t, err)
}

// spoken has a person say something in a conversation of a project, and an agent answer when it does.
func spoken(t *testing.T, db *store.DB, thread, project, person string, lines ...string) {
	t.Helper()
	at := asPerson(person)
	at.Thread, at.Stream = thread, event.ThreadStream(thread)
	drafts := []event.Draft{session.OpenedKind.Draft(at, session.Opened{Channel: "page", Title: thread, Project: project, Person: at.From.AgentID})}
	for i, l := range lines {
		by := at
		if i%2 == 1 {
			by.From = event.Party{AgentID: "agent:pm", Role: "agent"}
		}
		drafts = append(drafts, session.SaidKind.Draft(by, session.Said{Message: l}))
	}
	_, err := db.Log.Append(t.Context(), drafts...)
	check(t, err)
}

func remembered(t *testing.T, db *store.DB, project string, b desk.MemoryBody) desk.Record {
	t.Helper()
	var out desk.Record
	check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), func(w *clerk.Work) error {
		r, _, err := clerk.Ensure(w, desk.Memory, &b)
		out = r
		return err
	}))
	return out
}

// sources of what a reader finds.
func recalled(t *testing.T, db *store.DB, who memory.Reader, q memory.Question) string {
	t.Helper()
	hits, err := memory.New(db.Recall, db.Mint().Now).Recall(t.Context(), who, q)
	check(t, err)
	var out []string
	for _, h := range hits {
		out = append(out, h.Title+":"+strings.TrimSpace(h.Text))
	}
	return strings.Join(out, "; ")
}

// recalls holds that what was said and remembered is found by its words, as it is now.
func recalls(t *testing.T, open Opener) {
	db, again := open(t)
	at := place("")
	at.Stream = event.OrgStream
	_, err := db.Log.Append(t.Context(), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_1", Name: "Ann", Role: org.Owner}), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_2", Name: "Bob", Role: org.Owner}))
	check(t, err)
	project, _ := add(t, db)
	old := remembered(t, db, project, desk.MemoryBody{Key: "deadline", Content: "The export is due in May.", Type: "decision"})
	remembered(t, db, project, desk.MemoryBody{Key: "deadline-2", Content: "The export is due in June.", Supersedes: []string{old.ID}})
	remembered(t, db, project, desk.MemoryBody{Key: "gone", Content: "The export was blue.", ExpiresAt: "2020-01-01"})
	remembered(t, db, project, desk.MemoryBody{Key: "long", Content: strings.Repeat("Nothing happens here.\n\n", 200) + "The zebra crossed.\n\n" + strings.Repeat("And nothing after.\n\n", 20)})
	noted(t, db, "per_1", "note_1", "Ann likes \x00 short answers.")
	spoken(t, db, "thr_9", project, "per_1", "Which cache did we choose?", "Redis, because it was there.", "Fine.")
	ann := memory.Reader{Person: "per_1", Project: project}
	for _, c := range []struct {
		who  memory.Reader
		text string
		want string
	}{
		{ann, "When is the export due?", "deadline-2:The export is due in June."},
		{ann, "Who saw zebras?", "The zebra crossed."},
		{ann, "What about short answers?", "note_1:Ann likes  short answers."},
		{memory.Reader{Person: "per_2", Project: project}, "short answers", ""},
		{ann, "Which caches were chosen?", ":Which cache did we choose?; :Redis, because it was there."},
		{memory.Reader{Person: "per_2", Project: project, Thread: "thr_9"}, "redis", ":Redis, because it was there."},
		{memory.Reader{Person: "per_2", Project: project}, "redis", ""},
		{ann, "the and of", ""},
		{ann, `export" OR 1=1 --'`, "deadline-2"},
	} {
		got := recalled(t, db, c.who, memory.Question{Text: c.text, Limit: 2})
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "gone:") {
			t.Errorf("%s asks %q: got %q, want %q", c.who.Person, c.text, got, c.want)
		}
	}
	check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), func(w *clerk.Work) error {
		_, err := w.Remove(desk.Memory, old.ID)
		return err
	}))
	_, err = db.Log.Append(t.Context(), memory.ForgottenKind.Draft(memory.Place(asPerson("per_1"), "per_1"), memory.Forgotten{ID: "note_1"}))
	check(t, err)
	if got := recalled(t, db, ann, memory.Question{Text: "export due in May, short answers"}); strings.Contains(got, "May") || strings.Contains(got, "short") {
		t.Errorf("what was deleted is found: %s", got)
	}
	notes, err := db.Recall.Notes(t.Context(), "per_1")
	if err != nil || len(notes) != 0 {
		t.Errorf("got the notes %v, %v", notes, err)
	}
	r, err := db.Rebuild(t.Context())
	if err != nil || len(r.Different()) > 0 {
		t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
	check(t, db.Close())
	db, err = again()
	check(t, err)
	if got := recalled(t, db, ann, memory.Question{Text: "When is the export due?", Limit: 1}); got != "deadline-2:The export is due in June." {
		t.Errorf("after opening again: %s", got)
	}
}

// common holds that passages are found by words that many have: by one alone, and by two together, also where the newest have them
// seldom.
func common(t *testing.T, open Opener) {
	db, _ := open(t)
	var drafts []event.Draft
	for i := range 620 {
		text := fmt.Sprintf("Invoice %d was paid.", i)
		if i < 560 {
			text = fmt.Sprintf("Invoice %d was paid by transfer.", i)
		}
		if i == 3 {
			text = "Invoice three was paid by transfer in advance."
		}
		id := fmt.Sprint("note_", i)
		drafts = append(drafts, memory.NotedKind.Draft(memory.Place(asPerson("per_1"), "per_1"), memory.Note{ID: id, Key: id, Content: text}))
	}
	_, err := db.Log.Append(t.Context(), drafts...)
	check(t, err)
	ann := memory.Reader{Person: "per_1"}
	for range 2 { // the second time it is known which words are common
		for q, want := range map[string]string{"invoice": "was paid", "invoice transfer": "by transfer", "invoice transfer advance": "Invoice three", "transfer": "by transfer"} {
			if got := recalled(t, db, ann, memory.Question{Text: q, Limit: 3}); !strings.Contains(got, want) {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
			if got := recalled(t, db, memory.Reader{Person: "per_2"}, memory.Question{Text: q, Limit: 3}); got != "" {
				t.Errorf("somebody else asks %q and finds %q", q, got)
			}
		}
	}
}

// A secret is a word that stands in one passage alone, and who may find it.
type secret struct {
	word string
	may  func(memory.Reader) bool
}

// private holds that over random readers and memories nobody finds what is another's, and everybody what is theirs.
func private(t *testing.T, open Opener) {
	db, _ := open(t)
	random := rand.New(rand.NewPCG(33, 33)) //nolint:gosec // a test that is the same each time
	people, agents, teams := []string{"per_1", "per_2", "per_3"}, []string{"agent:pm", "agent:qa"}, []string{"red", "blue"}
	var projects []string
	for range 3 {
		p, _ := add(t, db)
		projects = append(projects, p)
	}
	pick := func(of []string) string { return of[random.IntN(len(of))] }
	var secrets []secret
	for i := range 60 {
		word := fmt.Sprintf("xyzzy%d", i)
		text := "The common secret is " + word
		project, person, agent, team, thread := pick(projects), pick(people), pick(agents), pick(teams), fmt.Sprintf("thr_%d", random.IntN(3))
		may := func(memory.Reader) bool { return true }
		switch random.IntN(8) {
		case 0:
			remembered(t, db, "", desk.MemoryBody{Scope: desk.ForAll, Content: text})
		case 1:
			remembered(t, db, project, desk.MemoryBody{Content: text})
			may = func(r memory.Reader) bool { return r.Project == project }
		case 2:
			remembered(t, db, project, desk.MemoryBody{Scope: desk.ForThread, ThreadID: thread, Content: text})
			may = func(r memory.Reader) bool { return r.Thread == thread }
		case 3:
			remembered(t, db, "", desk.MemoryBody{Scope: desk.ForAgent, Owner: agent, Content: text})
			may = func(r memory.Reader) bool { return string(r.Agent) == agent }
		case 4:
			remembered(t, db, "", desk.MemoryBody{Scope: desk.ForTeam, Owner: team, Content: text})
			may = func(r memory.Reader) bool { return slices.Contains(r.Teams, team) }
		case 5, 6:
			noted(t, db, person, "note_"+word, text)
			may = func(r memory.Reader) bool { return r.Person == person }
		case 7:
			own := "thr_" + word
			spoken(t, db, own, project, person, text)
			may = func(r memory.Reader) bool { return r.Person == person && r.Project == project || r.Thread == own }
		}
		secrets = append(secrets, secret{word, may})
	}
	alike := meanings{"test/alike"}
	alike.vectored(t, db)
	for range 60 {
		who := memory.Reader{Person: pick(people), Project: pick(append(projects, "")), Thread: pick([]string{"", "thr_0", "thr_1", "thr_2", "thr_xyzzy7"})}
		if random.IntN(2) == 0 {
			who.Agent, who.Teams = org.AgentID(pick(agents)), []string{pick(teams)}
		}
		all := recalled(t, db, who, memory.Question{Text: "What is the common secret? " + secrets[0].word, Limit: 200, At: time.Now()})
		all += "; " + alike.finds(t, db, who, memory.Question{Text: "The common secret is nearly this", Limit: 200})
		for _, s := range secrets {
			if strings.Contains(all+";", s.word+";") && !s.may(who) {
				t.Fatalf("%+v finds %s", who, s.word)
			}
			got := recalled(t, db, who, memory.Question{Text: s.word, Limit: 3})
			if (got != "") != s.may(who) {
				t.Fatalf("%+v asks for %s and finds %q; may find it: %v", who, s.word, got, s.may(who))
			}
		}
	}
}

// removedConversation holds that a conversation that was removed is listed and found no more, also by those in it, and that one
// that is restored is as it was; the tables that the log makes anew are the same.
func removedConversation(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(t, db)
	spoken(t, db, "thr_1", project, "per_1", "The passphrase of the harbour is Xyzzy.")
	at := asPerson("per_1")
	at.Thread, at.Stream = "thr_1", event.ThreadStream("thr_1")
	who := memory.Reader{Person: "per_1", Project: project}
	for i, k := range []event.Kind[session.Moved]{session.RemovedKind, session.RestoredKind, session.RemovedKind} {
		_, err := db.Log.Append(t.Context(), k.Draft(at, session.Moved{}))
		check(t, err)
		gone := i != 1
		for _, here := range []string{"", "thr_1"} {
			who.Thread = here
			if got := recalled(t, db, who, memory.Question{Text: "harbour passphrase"}); (got == "") != gone {
				t.Errorf("after %s it is found from %q as %q", k.Name, here, got)
			}
		}
		all, err := db.Conversations.Sessions(t.Context(), project, at.From.AgentID, 10, 0)
		check(t, err)
		live, err := db.Conversations.Session(t.Context(), "thr_1")
		check(t, err)
		if (len(all) == 0) != gone || live.Removed != gone || live.Closed != gone {
			t.Errorf("after %s it is %+v, listed %d times", k.Name, live, len(all))
		}
	}
	rebuilt, err := db.Rebuild(t.Context())
	check(t, err)
	if d := rebuilt.Different(); len(d) > 0 {
		t.Errorf("rebuilt, these differ: %v", d)
	}
}
