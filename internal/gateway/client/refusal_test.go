package client

import (
	"testing"

	"chela/internal/fault"
)

// TestRefusal_Kinds: what the daemon refuses is no mistake of the daemon's.
func TestRefusal_Kinds(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]fault.Kind{
		400: fault.Invalid, 401: fault.Unauthenticated, 403: fault.Denied, 404: fault.NotFound, 405: fault.Invalid, 408: fault.Invalid, 409: fault.Conflict,
		413: fault.TooLarge, 415: fault.Invalid, 422: fault.Invalid, 429: fault.Unavailable, 500: fault.Internal, 503: fault.Unavailable,
	} {
		err := refusal(status, []byte(`{"detail":"It is refused."}`))
		if got := fault.KindOf(err); got != want || fault.TextOf(err) != "It is refused." && want != fault.Internal {
			t.Errorf("%d: %v %q, want %v", status, got, fault.TextOf(err), want)
		}
	}
}
