package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"chela/internal/event"
	"chela/internal/skill"
)

// skills holds that a skill is kept with its files as it was installed last, that what was set of it outlives a new
// version and not its removal, that who waits is woken, and that of many who change one at once nobody's change is lost.
func skills(t *testing.T, open Opener) {
	db, _ := open(t)
	changed, stop := db.Skills.Subscribe(event.SkillsChanged)
	defer stop()
	at := place(event.OrgStream)
	record := func(drafts ...event.Draft) []skill.Kept {
		t.Helper()
		check(t, db.Skills.Change(t.Context(), "counting", func(skill.Kept) ([]event.Draft, error) { return drafts, nil }))
		list, err := db.Skills.Skills(t.Context())
		check(t, err)
		return list
	}
	installed := func(digest, text string) event.Draft {
		return skill.InstalledKind.Draft(at, skill.Installed{Name: "counting", Digest: digest, Source: skill.Source{Kind: "archive", Path: "a.zip"}, Files: map[string][]byte{"SKILL.md": []byte(text), "bin": {0, 255}}})
	}
	list := record(skill.SetKind.Draft(at, skill.Settings{Name: "counting", Agents: []string{"pm"}}))
	<-changed
	if len(list) != 1 || list[0].Installed != nil || len(list[0].Settings.Agents) != 1 {
		t.Errorf("one that ships, as it is set: %+v", list)
	}
	list = record(installed("a", "one"), installed("b", "two"))
	if len(list) != 1 || list[0].Installed == nil || list[0].Installed.Digest != "b" || string(list[0].Installed.Files["SKILL.md"]) != "two" ||
		string(list[0].Installed.Files["bin"]) != "\x00\xff" || list[0].Installed.Source.Path != "a.zip" || len(list[0].Settings.Agents) != 1 {
		t.Errorf("a second version: %+v", list)
	}
	check(t, db.Skills.Change(t.Context(), "counting", func(now skill.Kept) ([]event.Draft, error) {
		if now.Installed == nil || now.Installed.Digest != "b" {
			t.Errorf("a change is asked about %+v", now)
		}
		return []event.Draft{skill.RemovedKind.Draft(at, skill.Removed{Name: "counting"})}, nil
	}))
	if list := record(); len(list) != 0 {
		t.Errorf("after it is removed: %+v", list)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := db.Skills.Change(t.Context(), "counting", func(now skill.Kept) ([]event.Draft, error) {
				now.Settings.Name, now.Settings.Agents = "counting", append(slices.Clone(now.Settings.Agents), fmt.Sprint("agent", i))
				return []event.Draft{skill.SetKind.Draft(at, now.Settings)}, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list := record(); len(list) != 1 || len(list[0].Settings.Agents) != 8 {
		t.Errorf("of eight that change it at once: %+v", list)
	}
}
