package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"chela/internal/desk"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// TestCellDays_PreviewAndImportTellThem: "tomorrow" in a cell is counted from the day that the file tells, else from that of
// the import; preview and import say which.
func TestCellDays_PreviewAndImportTellThem(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	c := client.New(d.URL, d.Token)
	f := excelize.NewFile()
	for i, row := range [][]any{{"Project: Payments"}, {"Exported on 3 March 2026"}, {"ID", "Title", "Status", "Due"}, {"A-1", "One", "To Do", "tomorrow"}} {
		if err := f.SetSheetRow("Sheet1", "A"+string(rune('1'+i)), &row); err != nil {
			t.Fatal(err)
		}
	}
	book, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	const table = "Key,Title,Status,Due date\nA-1,One,To Do,tomorrow\nA-2,Two,To Do,next Friday\nA-3,Three,To Do,morgen\n"
	// the day may end while this runs
	before := time.Now().UTC()
	for name, file := range map[string]struct {
		client.IntakeFile
		due, told string
	}{
		"the name of the file":  {client.IntakeFile{Name: "open_2026-03-03.csv", Data: []byte(table)}, "2026-03-04", "counted from 2026-03-03, the day in the name of the file"},
		"above the table":       {client.IntakeFile{Name: "open.xlsx", Data: book.Bytes()}, "2026-03-04", "counted from 2026-03-03, the day above the table"},
		"the day of the import": {client.IntakeFile{Name: "open.csv", Data: []byte(table)}, "", "the day of the import, for the file tells none"},
	} {
		project, err := c.CreateProject(t.Context(), desk.ProjectBody{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		seen, err := c.PreviewImport(t.Context(), client.PreviewBody{ProjectID: project.ID, File: file.IntakeFile})
		if err != nil || len(seen.Tables) != 1 {
			t.Fatalf("%s: %+v %v", name, seen, err)
		}
		if day := string(seen.Tables[0].Sample[0].Due); day != file.due && file.due != "" || day == "" {
			t.Errorf("%s: the preview shows A-1 due %q, want %q", name, day, file.due)
		}
		in := taken(t, c, project.ID, file.IntakeFile)
		for of, told := range map[string][]string{"preview": seen.Tables[0].Problems, "import": in.Body.Problems} {
			if !slices.ContainsFunc(told, func(p string) bool {
				return strings.Contains(p, `"tomorrow" in "Due`) && strings.Contains(p, file.told)
			}) {
				t.Errorf("%s: the %s tells %q", name, of, told)
			}
		}
		got, err := c.ListTickets(t.Context(), project.ID, client.ListTicketsQuery{Filter: "externalRef:A-1"})
		if err != nil || len(got.Items) != 1 {
			t.Fatalf("%s: %+v %v", name, got.Items, err)
		}
		due := string(got.Items[0].Body.DueDate)
		if after := time.Now().UTC(); file.due == "" && (due == before.AddDate(0, 0, 1).Format(time.DateOnly) || due == after.AddDate(0, 0, 1).Format(time.DateOnly)) {
			continue
		}
		if due != file.due {
			t.Errorf("%s: A-1 is due %q, want %q", name, due, file.due)
		}
	}
}
