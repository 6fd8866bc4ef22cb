package talk

import (
	"net/http"
	"slices"

	"chela/internal/fault"
)

// pictureTypes are those that models take.
var pictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"} //nolint:gochecknoglobals // a table

// KeepPicture keeps a picture that a program sends, and returns its reference. What is no picture by its first bytes is a fault.Invalid
// of the field: a model would refuse the whole conversation for it.
func (t *Talk) KeepPicture(field string, raw []byte) (string, error) {
	if !slices.Contains(pictureTypes, http.DetectContentType(raw)) {
		return "", fault.BadField(field, "The bytes of a picture are none of the kinds that models take.", pictureTypes...)
	}
	ref, err := t.Files.Put(raw)
	return string(ref), err
}
