package store

import (
	"slices"
	"testing"
)

// TestSnapshot_EveryTableIsCarriedOrLeft: a backup has what nothing gives again, and of the rest it is said why not.
func TestSnapshot_EveryTableIsCarriedOrLeft(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(carried) {
		t.Error("the tables that a backup carries are not in order")
	}
	for _, table := range Tables() {
		_, stays := left[table.Name]
		goes := slices.Contains(carried, table.Name)
		if want := table.Class == Operational; (goes || stays) != want || goes && stays {
			t.Errorf("%s, a table of the class %s, is carried: %v, left: %v", table.Name, table.Class, goes, stays)
		}
	}
}
