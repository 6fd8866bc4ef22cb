package agent

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/model"
)

// TestPicture_TheNewestPicturesStay: of any history only the newest pictures of results are left, no
// more than it may hold, and nothing else is changed; what was given stays as it was.
func TestPicture_TheNewestPicturesStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var history []model.Message
		var all []string
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 3), 0, 12).Draw(t, "results of each turn") {
			turn := model.Message{Role: model.Tool}
			for j := range n {
				r := &model.ToolResult{CallID: fmt.Sprint(i, j), Text: "text"}
				for range rapid.IntRange(0, 2).Draw(t, "pictures") {
					name := fmt.Sprint("picture ", len(all))
					r.Images, all = append(r.Images, model.Image{Data: []byte(name)}), append(all, name)
				}
				turn.Parts = append(turn.Parts, model.Part{Result: r})
			}
			history = append(history, turn, model.Message{Role: model.User, Parts: []model.Part{{Text: "more"}, {Image: &model.Image{Data: []byte("a person's")}}}})
		}
		of := func(history []model.Message) (out []string, parts int) {
			for _, m := range history {
				for _, p := range m.Parts {
					parts++
					if p.Result != nil {
						for _, i := range p.Result.Images {
							out = append(out, string(i.Data))
						}
					}
				}
			}
			return out, parts
		}
		most := rapid.IntRange(0, 6).Draw(t, "most")
		got, parts := of(fewerPictures(history, most))
		want := all
		if len(all) > most {
			want = all[len(all)-min(keptPictures, most):]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("of %q at most %d: %q, want %q", all, most, got, want)
		}
		if before, n := of(history); fmt.Sprint(before) != fmt.Sprint(all) || n != parts {
			t.Fatalf("the history was changed: %q, %d parts of %d", before, parts, n)
		}
	})
}
