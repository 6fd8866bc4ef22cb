package extract_test

import (
	"slices"
	"testing"

	"chela/internal/extract"
)

// TestReadMinutes_WhatIsNoAction leaves out what the weights alone take for one: a form to be filled in, what somebody only spoke of, and what would be
// done by a thing.
func TestReadMinutes_WhatIsNoAction(t *testing.T) {
	t.Parallel()
	got := extract.ReadMinutes(`# Storage group, 4 May 2017

Attendees: Ann Lee, Ben Okoro, Carla Nunez

* PRs to discuss
  * [Please add any PRs that need attention here]
* Design reviews
  * [Please add any design reviews here]
* [Ann Lee] Snapshots
  * [Ben Okoro] Out of tree provisioner repo hosting
  * [Ann Lee] Similar to the other one, multiple disks, if a host dies, just schedule against another.
* Local Storage Volume
  * If we can take the local file system and expose it, then we can hook it up to the sets, and update the scheduler to handle it.
  * The local volume is bound when the pod is; storage of other kinds stays as it is.
* Process documents
  * Punting to next week
* Status
  * Ben will take a look from the cluster's side
  * Carla to send the test plan by 11 May
`)
	var actions []string
	for _, a := range got.Actions {
		actions = append(actions, a.Owner+": "+a.Text)
	}
	want := []string{"Ben Okoro: take a look from the cluster's side", "Carla Nunez: send the test plan by 11 May"}
	if !slices.Equal(actions, want) {
		t.Errorf("got %q, want %q", actions, want)
	}
}
