//go:build whatsmeow

package daemon

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"chela/internal/channel"
	"chela/internal/config"
	"chela/internal/gateway/client"
	"chela/internal/testkit/whatsmeowtest"
)

// TestWhatsmeow_ANumberIsLinkedAndAnswers: the code is in the state of the channel for who may add one, and nobody else; once a
// phone has taken it, a stranger who writes gets the code by which they are let in.
func TestWhatsmeow_ANumberIsLinkedAndAnswers(t *testing.T) {
	t.Parallel()
	s := whatsmeowtest.New(t)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listen = "127.0.0.1:0"
	ctx, stop := context.WithCancel(t.Context())
	d, err := New(ctx, cfg, slog.New(slog.DiscardHandler), Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := d.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	call := func(token, method, path string, in, out any) {
		t.Helper()
		if err := client.New("http://"+at.String(), token).Call(ctx, method, path, in, out); err != nil {
			t.Fatal(err)
		}
	}
	var link struct {
		Token string `json:"token"`
	}
	call(d.Token(), http.MethodPost, "/api/persons/invite", map[string]string{"name": "Vera", "role": "viewer"}, &link)
	var viewer struct {
		Token string `json:"token"`
	}
	call("", http.MethodPost, "/api/persons/accept", link, &viewer)

	call(d.Token(), http.MethodPut, "/api/channels/own", map[string]string{"kind": "whatsapp-app", "base_url": s.URL()}, nil)
	how := func(token string) channel.Status {
		var out []channel.Status
		call(token, http.MethodGet, "/api/channels", nil, &out)
		return out[0]
	}
	s.Wait("a code", func() bool { return how(d.Token()).Link != "" })
	code := how(d.Token())
	if v := how(viewer.Token); code.State != channel.Unlinked || v.State != channel.Unlinked || v.Link != "" {
		t.Errorf("a viewer has %+v", v)
	}
	drawn := func(token string) ([]byte, error) {
		r, err := client.New("http://"+at.String(), token).Open(ctx, "/api/channels/own/link.png")
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.Close() }()
		return io.ReadAll(r)
	}
	if picture, err := drawn(d.Token()); err != nil || http.DetectContentType(picture) != "image/png" {
		t.Errorf("the picture has %d bytes: %v", len(picture), err)
	}
	if _, err := drawn(viewer.Token); err == nil {
		t.Error("a viewer has the picture")
	}
	s.Scan(code.Link)
	s.Wait("the number is up", func() bool { return how(d.Token()).State == channel.Up })
	if _, err := drawn(d.Token()); err == nil {
		t.Error("a code is drawn of a number that is linked")
	}
	if now := how(d.Token()); now.Link != "" || now.Account == nil || now.Account.ID != s.Owner.Number.User {
		t.Errorf("it is %+v", now)
	}
	s.Say(anna, types.JID{}, &waE2E.Message{Conversation: proto.String("hello")})
	s.Wait("the answer", func() bool { return len(s.Sent()) == 1 })
	var requests []channel.PairingRequest
	call(d.Token(), http.MethodGet, "/api/pairings", nil, &requests)
	if said := s.Sent()[0]; said.For != anna || len(requests) != 1 || requests[0].Sender != "100000000000002@lid" || !strings.Contains(said.What.GetConversation(), "*"+requests[0].Code+"*") {
		t.Errorf("it said %+v, and %+v wait", said, requests)
	}
	s.Unlink()
	s.Wait("a new code", func() bool {
		now := how(d.Token())
		return now.Link != "" && strings.Contains(now.Problem, "has unlinked")
	})
}
