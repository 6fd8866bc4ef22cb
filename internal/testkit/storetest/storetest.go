// Package storetest holds the promises of the store; every backend must keep them.
package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
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

// A promise is what every database keeps.
type promise struct {
	name string
	test func(*testing.T, Opener)
}

// promises are all that [Test] holds databases to.
var promises = []promise{ //nolint:gochecknoglobals // a table
	{"AppendIsAllOrNothing", allOrNothing},
	{"MuchIsAllOrNothing", muchOrNothing},
	{"KeysAreRecordedOnce", keysOnce},
	{"KeysAreRecordedOnceByManyAtOnce", keysOnceConcurrently},
	{"ExpectIsChecked", expect},
	{"StreamsAreChained", chained},
	{"TamperingIsNamed", tampering},
	{"EventsAreReadAsRecorded", kept},
	{"ACommitIsToldOnce", commits},
	{"ConcurrentWritersFailAlone", failAlone},
	{"ReadersMissNoLateCommit", lateCommit},
	{"WhatWasSeenStaysSeen", seenWhileWriting},
	{"CommittedIsThereAfterOpeningAgain", durable},
	{"EveryTableIsDeclared", declared},
	{"RebuildGivesIdenticalTables", rebuild},
	{"ABackupComesBackAsItWas", backupsComeBack},
	{"OneRestoreAtATime", oneRestore},
	{"BackupsOfOthersAreRefused", foreignBackups},
	{"BackupsWithAnotherLogAreRefused", changedBackups},
	{"ClaimsAreFenced", fenced},
	{"OneNodeTakesOver", nodes},
	{"EachJobGoesItsWay", ways},
	{"WhatANodeWorkedThatIsGoneWaitsForAnother", requeued},
	{"AllNodesHearThatJobsWait", announced},
	{"WhatIsSentAtOnceIsOneTransaction", atOnce},
	{"StepsAreFound", steps},
	{"AForkInheritsNoAnswer", inherited},
	{"RecordsConflict", conflict},
	{"ChangesAreNamed", changes},
	{"FiltersAdmitWhatTheyFind", filters},
	{"OwnersAreFoundByEachName", ownersByOtherNames},
	{"RunsAreFound", runs},
	{"TokensOpenOnce", tokens},
	{"ALinkIsOpenedWholeOrNotAtAll", wholeLogin},
	{"EventsAreCounted", eventsCounted},
	{"MCPToolsAreOfferedAsAccepted", servers},
	{"TasksOfAgentsOfOthersAreFollowed", tasksFollowed},
	{"WorkersFetchTheirTasks", workersFetch},
	{"AgentsElsewhereAreReachedAndWereAnswered", elsewhere},
	{"SkillsAreKeptWithTheirFiles", skills},
	{"KeysStayWithinTheirBounds", keys},
	{"WebhooksAreToldByOne", webhooks},
	{"TrackersAreReadOn", trackers},
	{"TheClockIsToldWhatThereIs", boards},
	{"TheClockKnowsWhereAnswersGo", answersGo},
	{"WhatIsAllowedIsRemembered", approvals},
	{"TheClockIsToldOfReminders", reminders},
	{"WhatGoesToChatsFollowsPreferences", toChats},
	{"WhatEndsWithItsRecordIsOver", over},
	{"WhatPeopleWereToldIsDue", openDue},
	{"FailuresOfTriggers", triggerFailures},
	{"BusyAgentsAreKnown", busyAgents},
	{"AStreamIsHeld", held},
	{"WritersWakeReaders", wakes},
	{"TwoProcessesWriteInTurns", turnsTaken},
	{"OneOfManyMovesACursor", cursorMoved},
	{"TheOrganizationIsKeptBriefly", keptBriefly},
	{"ARemovedConversationIsNowhere", removedConversation},
	{"AProjectIsCalledAsItIsNow", renamed},
	{"ListsAreFiltered", filtered},
	{"WhatIsOfAllProjectsIsFoundWithEach", shared},
	{"ListsAreSortedPageAfterPage", sortedPages},
	{"CursorsFitTheirSort", cursors},
	{"ListsAreWhatTheRecordsSay", narrow},
	{"NarrowRowsAreMadeAgain", refilled},
	{"TheDeskAsItWas", asItWas},
	{"WhatIsComputedFollowsEachChange", figures},
	{"TheLargestProjectsAreKnown", largest},
	{"TenThousandTickets", many},
	{"WordsAreFound", searched},
	{"WhatIsTypedIsData", hostile},
	{"FoundPageAfterPage", searchedPages},
	{"TwoCannotTakeTheLastCent", theLastCent},
	{"WhatIsCutOffCountsAsUsed", whatIsCutOff},
	{"ManyCallsAreCountedAsFew", manyCalls},
	{"CallsOfToolsAreReservedTogether", callsOfTools},
	{"SlotsAreCountedAcrossProcesses", slots},
	{"WhatARunWaitedIsKnown", waited},
	{"AnswersAreSeenInATransaction", questionsAnswered},
	{"TimesAndIDsAreTheMints", minted},
	{"TheVaultChangesWithItsEvents", sealed},
	{"WhatLayInClearIsGone", unsealed},
	{"WhatWasReadIsKnown", reads},
	{"LayoutsAreTheirPersons", layouts},
	{"AFontSizeIsItsPersons", fontSizes},
	{"ATourIsItsPersons", tours},
	{"WhatCommandsAskIsKnown", commanded},
	{"MessagesWaitForTheirTurn", waits},
	{"NULCharactersAreNotSaid", saidWithNUL},
	{"MessagesWaitForTheirAudio", audio},
	{"ArtifactsThatAreNamedAreLookedFor", artifacts},
	{"AgentsInHandAreKnown", agentsInHand},
	{"DeliveriesGoInOrder", deliveries},
	{"ReceiptsSayWhatBecameOfDeliveries", receipts},
	{"AnIdentityIsOnePersons", identities},
	{"MarksOfChannelsAreKept", marks},
	{"TheNewestMessageOfAChatIsKnown", newest},
	{"MessagesAreShownAsTheyAreNow", revised},
	{"DraftsBecomeTheNextText", drafts},
	{"QuestionsInChatsTellHowTheyEnded", outcomes},
	{"AChatHasAConversation", chats},
	{"StrangersAskOnce", requests},
	{"ChannelsAreConfigured", configured},
	{"WhatModelsCostIsSummed", spent},
	{"AQueryThatIsGivenUpEnds", givenUp},
	{"WorkflowsHaveVersions", shelved},
	{"PayloadTypesHaveRevisions", payloads},
	{"EvidenceOfTicketsIsKept", proofs},
	{"WorkflowsHaveDrafts", drafted},
	{"WorkflowsArePlanned", planned},
	{"RouterRemembers", routed},
	{"WhatWasSaidAndRememberedIsFound", recalls},
	{"WhatWasSaidIsIndexedLater", saidLater},
	{"WhatWasSaidIsIndexedOnce", saidAtOnce},
	{"CommonWordsFind", common},
	{"NobodyFindsWhatIsAnothers", private},
	{"WhatMeansTheSameIsFound", vectors},
	{"VectorsAreMadeByOne", vectorsOnce},
	{"WhatIsErasedIsGone", erases},
	{"WhatQuotesTheErasedIsGone", quotesErased},
	{"WhatWasDoneForTheErasedIsGone", retoldErased},
}

// Test exercises databases made by open.
func Test(t *testing.T, open Opener) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) { p.test(t, open) })
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
	for _, err := range db.Log.After(t.Context(), 0) {
		check(t, err)
		n++
	}
	return n
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

func conflict(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	tickets, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket})
	check(t, err)
	id := tickets.Records[0].ID
	a, _, _, err := desk.Edit(tickets.Records[0], json.RawMessage(`{"title":"B"}`))
	check(t, err)
	b, _, _, err := desk.Edit(tickets.Records[0], json.RawMessage(`{"title":"C"}`))
	check(t, err)
	_, err = db.Log.Append(t.Context(), a.Draft(place("")))
	check(t, err)
	if _, err := db.Log.Append(t.Context(), b.Draft(place(""))); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("an edit of an older version: %v", err)
	}
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			err := clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), func(w *clerk.Work) error {
				_, err := w.Patch(desk.Ticket, id, json.RawMessage(fmt.Sprintf(`{"labels":["l%d"]}`, i)))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	r, err := db.Desk.Record(t.Context(), id)
	check(t, err)
	if r.Version != 6 {
		t.Fatalf("version %d after one edit and four at once, want 6", r.Version)
	}
}
