package org

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/fault"
)

func TestLayout_LayoutsAreChecked(t *testing.T) {
	t.Parallel()
	full := make([]Layout, maxLayouts)
	for i := range full {
		full[i].Name = fmt.Sprint("n", i)
	}
	for _, c := range []struct {
		name, address string
		have          []Layout
		want          error
	}{
		{"Morning", "/tickets?project=p", nil, nil},
		{strings.Repeat("ä", 60), strings.Repeat("a", 4000), nil, nil},
		{"n7", "/", full, nil},
		{"", "/", nil, fault.New(fault.Invalid, "")},
		{" a", "/", nil, fault.New(fault.Invalid, "")},
		{"a\nb", "/", nil, fault.New(fault.Invalid, "")},
		{strings.Repeat("a", 61), "/", nil, fault.New(fault.Invalid, "")},
		{"a", "", nil, fault.New(fault.Invalid, "")},
		{"a", strings.Repeat("a", 4001), nil, fault.New(fault.Invalid, "")},
		{"one more", "/", full, fault.New(fault.Conflict, "")},
	} {
		err := CheckLayout(c.have, LayoutSaved{c.name, c.address})
		if (err == nil) != (c.want == nil) || fault.KindOf(err) != fault.KindOf(c.want) {
			t.Errorf("%q at %.20q: %v, want %v", c.name, c.address, err, c.want)
		}
	}
	if err := CheckRemoval(full, "n7"); err != nil {
		t.Error(err)
	}
	if err := CheckRemoval(full, "other"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("what is not there: %v", err)
	}
}
