package browser

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"

	"chela/internal/fault"
)

// Bounds of a picture that models take, all of them: Anthropic's 5 MB of base64 and 8000
// pixels are the narrowest.
const (
	shownBytes = 3_500_000
	shownSide  = 4000
)

// forModels returns a PNG as models take it: the same, or made half as large until it is.
func forModels(raw []byte) ([]byte, error) {
	size, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if size.Width > 4*width || size.Height > 2*maxHeight {
		return nil, fault.New(fault.TooLarge, "The picture has %d×%d points, which is more than is looked at.", size.Width, size.Height)
	}
	if len(raw) <= shownBytes && max(size.Width, size.Height) <= shownSide {
		return raw, nil
	}
	decoded, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	at := decoded.Bounds()
	picture := image.NewRGBA(image.Rect(0, 0, at.Dx(), at.Dy()))
	draw.Draw(picture, picture.Bounds(), decoded, at.Min, draw.Src)
	for {
		picture = half(picture)
		var out bytes.Buffer
		if err := png.Encode(&out, picture); err != nil {
			return nil, err
		}
		if out.Len() <= shownBytes && max(picture.Rect.Dx(), picture.Rect.Dy()) <= shownSide {
			return out.Bytes(), nil
		}
	}
}

// half returns a picture of half the width and height, each point the mean of four.
func half(in *image.RGBA) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, max(in.Rect.Dx()/2, 1), max(in.Rect.Dy()/2, 1)))
	right, below := 4*min(1, in.Rect.Dx()-1), in.Stride*min(1, in.Rect.Dy()-1)
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			from, to := 2*y*in.Stride+8*x, y*out.Stride+4*x
			for c := range 4 {
				sum := int(in.Pix[from+c]) + int(in.Pix[from+c+right]) + int(in.Pix[from+c+below]) + int(in.Pix[from+c+right+below])
				out.Pix[to+c] = uint8((sum + 2) / 4) //nolint:gosec // a mean of bytes is one
			}
		}
	}
	return out
}
