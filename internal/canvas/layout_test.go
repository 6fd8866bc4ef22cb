package canvas_test

import (
	"maps"
	"testing"

	"chela/internal/canvas"
)

// TestFile_IsReadBack holds that the canvas of a bundle says where nodes stand, and that one from elsewhere is read.
func TestFile_IsReadBack(t *testing.T) {
	t.Parallel()
	want := canvas.Layout{"gate": {X: 1, Y: 2.5}, "each.say": {X: -3}}
	raw, err := canvas.File(canvas.Draft{Source: commented, Layout: want})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := canvas.ReadLayout(raw); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := canvas.ReadLayout([]byte(`{"nodes":[{"id":"a","position":{"x":1,"y":1},"data":{"label":"A","config":{}}},{"id":"b"},{"id":"c","position":{"x":1e99,"y":0}}]}`)); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzReadLayout(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"id":"a","position":{"x":1,"y":1}}]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := canvas.ReadLayout(raw)
		if err == nil && len(l) > canvas.Most {
			t.Errorf("%d nodes", len(l))
		}
	})
}
