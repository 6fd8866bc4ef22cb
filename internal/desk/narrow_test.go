package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestNarrowForm_IsThatOfTheKinds(t *testing.T) {
	t.Parallel()
	all := sha256.New()
	for _, k := range Kinds() {
		all.Write([]byte(forms[k]().narrow(k)))
	}
	if sum := all.Sum(nil); NarrowForm != hex.EncodeToString(sum[:8]) {
		t.Errorf("The fields of a kind changed: NarrowForm is %q and has to be %q, so that lists are filled anew.", NarrowForm, hex.EncodeToString(sum[:8]))
	}
}
