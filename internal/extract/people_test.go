package extract_test

import (
	"slices"
	"testing"

	"chela/internal/extract"
)

func TestPeople_Attendees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		minutes string
		want    []string
	}{
		"a line of names":          {"# M\n\nAttendees: Ann Lee, Bo and Chidi Okafor\n", []string{"Ann Lee", "Bo", "Chidi Okafor"}},
		"a bulleted line of names": {"# M\n\n* Attendees: Ann Lee, Bo\n", []string{"Ann Lee", "Bo"}},
		"a list":                   {"# M\n\nAttendees:\n\n* Ann Lee\n* Bo (host)\n", []string{"Ann Lee", "Bo"}},
		"where they come from":     {"# M\n\nAttendees:\n\n* Michelle Au, Google\n* Jing Xu, Huawei\n", []string{"Michelle Au", "Jing Xu"}},
		"cards":                    {"# M\n\nAttendees:\n\n* Adam Litke, Red Hat [alitke@redhat.com](mailto:alitke@redhat.com), 507-884-4657\n* Ardalan Kangarlou, NetApp, ardalan@netapp.com\n", []string{"Adam Litke", "Ardalan Kangarlou"}},
		"an address in brackets":   {"# M\n\nAttendees:\n\n* Yin Ding&lt;[yin.ding@huawei.com](mailto:yin.ding@huawei.com)&gt;\n", []string{"Yin Ding"}},
		"a roll call":              {"# M\n\n**Roll call** (name / institution / handle)\n* Ann Lee / Helix Labs / @annl\n* Bo Kim / independent / @bo\n", []string{"Ann Lee", "Bo Kim"}},
		"a list and a topic":       {"# M\n\nAttendees\n* Acme – Ann Lee, Bo Kim\n* Cy Dahl\n\nTopics\n* **Launch** - moved to May\n", []string{"Ann Lee", "Bo Kim", "Cy Dahl"}},
		"handles":                  {"# M\n\nAttendees:\n\n* Ann Lee @ann\n* @bo\n", []string{"Ann Lee", "bo"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range extract.ReadMinutes(c.minutes).Attendees {
				got = append(got, a.Name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
