package routertest

import (
	"bytes"
	_ "embed"
)

//go:embed testdata/hard.csv
var hard []byte

// Sets are the sets that come with the tests: 150 made intents with many examples and with few, and messages that were written by
// hand, for twenty workflows with four examples each.
func Sets() []Set {
	byHand, err := Read("hard.csv", bytes.NewReader(hard))
	if err != nil {
		panic("routertest: a set that comes with the tests cannot be read: " + err.Error())
	}
	return []Set{Made(20, 12, false), Made(4, 12, false), byHand}
}
