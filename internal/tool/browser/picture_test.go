package browser_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"chela/internal/fault"
	"chela/internal/tool/browser"
)

func encoded(t testing.TB, w, h int, at func(x, y int) color.Color) []byte {
	t.Helper()
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.Set(x, y, at(x, y))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicture_PicturesAreAsLargeAsModelsTake: a small one stays as it is, a large one is made smaller.
func TestPicture_PicturesAreAsLargeAsModelsTake(t *testing.T) {
	t.Parallel()
	red := func(x, _ int) color.Color { return color.NRGBA{uint8(200 + x%2*10), 10, 10, 255} }
	noise := rand.New(rand.NewPCG(1, 2))
	noisy := func(int, int) color.Color {
		n := noise.Uint32()
		return color.NRGBA{uint8(n), uint8(n >> 8), uint8(n >> 16), 255}
	}
	small := encoded(t, 1280, 800, red)
	if got, err := browser.ForModels(small); err != nil || !bytes.Equal(got, small) {
		t.Errorf("a small one is changed: %v", err)
	}
	for name, c := range map[string]struct {
		raw  []byte
		w, h int
	}{
		"a long one":  {encoded(t, 64, 8000, red), 32, 4000},
		"a large one": {encoded(t, 1280, 1600, noisy), 640, 800},
		"one line":    {encoded(t, 4002, 1, red), 2001, 1},
	} {
		got, err := browser.ForModels(c.raw)
		if err != nil || len(got) > browser.ShownBytes {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
			continue
		}
		p, err := png.Decode(bytes.NewReader(got))
		if err != nil || p.Bounds().Dx() != c.w || p.Bounds().Dy() != c.h {
			t.Errorf("%s is %v, %v", name, p.Bounds(), err)
			continue
		}
		if r, _, _, a := p.At(1, 0).RGBA(); name != "a large one" && (r>>8 != 205 || a>>8 != 255) {
			t.Errorf("%s: its points are %v", name, p.At(1, 0))
		}
	}
	if _, err := browser.ForModels(encoded(t, 6000, 1, red)); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("one that no page has: %v", err)
	}
	if _, err := browser.ForModels([]byte("no picture")); err == nil {
		t.Error("anything is a picture")
	}
}

// FuzzForModels: whatever a browser gives becomes a picture that models take, or an error.
func FuzzForModels(f *testing.F) {
	f.Add(encoded(f, 3, 2, func(x, y int) color.Color { return color.NRGBA{uint8(x), uint8(y), 1, 255} }))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := browser.ForModels(raw)
		if err != nil {
			return
		}
		if c, err := png.DecodeConfig(bytes.NewReader(out)); err != nil || max(c.Width, c.Height) > browser.ShownSide || len(out) > browser.ShownBytes {
			t.Errorf("%+v, %d bytes: %v", c, len(out), err)
		}
	})
}
