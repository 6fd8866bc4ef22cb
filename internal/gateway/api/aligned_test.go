package api_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/gateway/client"
)

// TestIntake_AlignedColumnsAreTickets hands in boards in columns that blanks keep apart: with notes around the one, and nothing around the
// other, which makes no thread.
func TestIntake_AlignedColumnsAreTickets(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	board := "Key      Status       Assignee  Summary\nPAY-101  TODO         Joe       Refactor the card handler\nPAY-102  IN_PROGRESS  Ann       Audit log\n"
	alone := strings.NewReplacer("PAY-101", "PAY-201", "PAY-102", "PAY-202", "card", "wallet", "Audit log", "Presigned upload").Replace(board)
	taken(t, c, project.ID, client.IntakeFile{Name: "notes.txt", Data: []byte("The board of this morning, as I saw it\n\n" + board + "\nAction: Joe to call the bank by 2027-01-08.\n")})
	taken(t, c, project.ID, client.IntakeFile{Name: "board.txt", Data: []byte(alone)})
	tickets, err := c.ListTickets(t.Context(), project.ID, client.ListTicketsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range tickets.Items {
		got = append(got, strings.TrimSpace(x.Body.ExternalRef+" "+x.Body.Title)+": "+string(x.Body.Status))
	}
	slices.Sort(got)
	want := []string{"PAY-101 Refactor the card handler: TODO", "PAY-102 Audit log: IN_PROGRESS", "PAY-201 Refactor the wallet handler: TODO", "PAY-202 Presigned upload: IN_PROGRESS", "call the bank by 2027-01-08.: TODO"}
	if !slices.Equal(got, want) {
		t.Errorf("the tickets are %q, want %q", got, want)
	}
	threads, err := c.ListThreads(t.Context(), project.ID, client.ListThreadsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range threads.Items {
		if strings.Contains(x.Body.Title, "Assignee") || strings.Contains(x.Body.Title, "board.txt") {
			t.Errorf("there is a thread %q", x.Body.Title)
		}
	}
	if len(threads.Items) != 1 {
		t.Errorf("there are %d threads, want the notes alone", len(threads.Items))
	}
}
