package cli

import (
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/gateway/client"
	"chela/internal/notify"
)

// TestConcerning_LeavesOutOtherProjects: today of a project has what concerns it, and what is of no project.
func TestConcerning_LeavesOutOtherProjects(t *testing.T) {
	t.Parallel()
	of := func(id, project string) notify.View {
		return notify.View{Notification: notify.Notification{ID: id, Project: project}}
	}
	done := of("done", "p1")
	done.DoneAt = time.Now()
	var got []string
	for _, n := range concerning([]notify.View{of("own", "p1"), of("other", "p2"), of("none", ""), done}, "p1") {
		got = append(got, n.ID)
	}
	if want := "own none"; strings.Join(got, " ") != want {
		t.Errorf("it needs %v, want %s", got, want)
	}
}

// TestInboxLine_NamesTheProject: a notification names its project where there are several.
func TestInboxLine_NamesTheProject(t *testing.T) {
	t.Parallel()
	all := []client.RecordOfProjectBody{{ID: "p1", Body: desk.ProjectBody{Name: "Payments"}}, {ID: "p2", Body: desk.ProjectBody{Name: "Search"}}}
	n := notify.View{Notification: notify.Notification{ID: "ntf_1", Reason: notify.Finding, Title: "Important tickets without anybody", Project: "p2"}}
	if got, want := inboxLine(n, projectNames(all)), "  ntf_1  Search: Found: Important tickets without anybody"; !strings.HasSuffix(got, want) {
		t.Errorf("of two projects it says %q, want it to end in %q", got, want)
	}
	if got := inboxLine(n, projectNames(all[1:])); strings.Contains(got, "Search") {
		t.Errorf("of one project it says %q", got)
	}
	if n.Project = ""; !strings.HasSuffix(inboxLine(n, projectNames(all)), "ntf_1  Found: Important tickets without anybody") {
		t.Errorf("without a project it says %q", inboxLine(n, projectNames(all)))
	}
}
