package whatsapp

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/whatsapptest"
)

var (
	anna  = whatsapptest.User{ID: "16505551234", UserID: "US.13491208655302741918", Name: "Anna Berg"}
	bela  = whatsapptest.User{ID: "491705550001", UserID: "DE.7781208655302741000", Name: "Béla", Hidden: true}
	alone = whatsapptest.Private(anna)
	team  = whatsapptest.Group("Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD")
)

func configOf(s *whatsapptest.Server, settings ...string) channel.Config {
	c := channel.Config{
		Options: channel.Options{Name: "wa", Kind: Kind, BaseURL: s.URL(), Settings: map[string]string{"phone_number_id": s.Number, "settle": "5s"}},
		Secrets: map[string]string{"token": s.Token, "app_secret": s.AppSecret, "verify_token": s.Verify},
	}
	for pair := range slices.Chunk(settings, 2) {
		c.Settings[pair[0]] = pair[1]
	}
	return c
}

// with makes a channel to a server; settings are pairs of name and value.
func with(t *testing.T, s *whatsapptest.Server, settings ...string) *Adapter {
	t.Helper()
	a, err := New(configOf(s, settings...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// address is where a channel listens.
func address(t *testing.T, a *Adapter, in channel.Inbox) string {
	return channeltest.Listen(t, a, in) + "/channels/wa"
}

// listening is a server whose updates go to a channel.
func listening(t *testing.T, settings ...string) (*whatsapptest.Server, *Adapter, *channeltest.Inbox) {
	t.Helper()
	s := whatsapptest.New(t)
	a, in := with(t, s, settings...), new(channeltest.Inbox)
	if err := s.Hook(address(t, a, in)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Unhook) // before the address goes
	return s, a, in
}

func delivered(s *whatsapptest.Server) {
	s.Wait("all to be taken", func() bool { return s.Pending() == 0 })
}

func TestWhatsapp_Connect(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	a := with(t, s, "check", "50ms")
	who, err := a.Check(t.Context())
	if err != nil || who != (channel.Account{ID: s.Number, Name: "+1 555-078-3881"}) {
		t.Errorf("Check: %+v, %v", who, err)
	}
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, a, in)
	s.Wait("checks", func() bool { return s.Calls(whatsapptest.Number) > 2 })
	r.Stopped(t)
	if in.Ups() != 1 {
		t.Errorf("up %d times", in.Ups())
	}
}

func TestWhatsapp_Credentials(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*whatsapptest.Server)
		words  string
	}{
		"token":  {func(s *whatsapptest.Server) { s.Token = "EAAanother" }, "does not take the token of the channel wa"},
		"secret": {func(s *whatsapptest.Server) { s.AppSecret = "ffff456789abcdef0123456789abcdef" }, "app_secret of the channel wa is not that"},
		"number": {func(s *whatsapptest.Server) { s.Number = "106540352249999" }, "phone_number_id"},
	} {
		t.Run(name, func(t *testing.T) {
			s := whatsapptest.New(t)
			a := with(t, s)
			c.change(s)
			_, err := a.Check(t.Context())
			channeltest.WantFault(t, err, fault.Denied, c.words)
			channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Denied, c.words)
			if text := err.Error(); strings.Contains(text, "EAAJB") || strings.Contains(text, a.api.proof) {
				t.Errorf("the error has a secret in it: %s", text)
			}
		})
	}
}

func TestWhatsapp_TokenThatEnds(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	a := with(t, s, "check", "50ms")
	r := channeltest.Run(t, a, new(channeltest.Inbox))
	s.Wait("a check", func() bool { return s.Calls(whatsapptest.Number) > 1 })
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Number, What: whatsapptest.Fail, Times: 2}) // a bad moment is nothing
	calls := s.Calls(whatsapptest.Number)
	s.Wait("the next check", func() bool { return s.Calls(whatsapptest.Number) > calls })
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Number, What: whatsapptest.Say, Status: 401, Code: 190, Text: "Error validating access token"})
	channeltest.WantFault(t, <-r.End, fault.Denied, "Make another one")
}

func TestWhatsapp_NoConnection(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	a := with(t, s)
	s.Stop()
	_, err := a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "The channel wa has no connection with WhatsApp: ")
	s.Start()
	s.Fault(whatsapptest.Fault{What: whatsapptest.Fail, Status: 404})
	for range 2 {
		_, err = a.Check(t.Context())
		channeltest.WantFault(t, err, fault.Unavailable, "status 404") // a proxy's; the token may be right
	}
	s.Heal()
	s.Fault(whatsapptest.Fault{What: whatsapptest.Say, Code: 80007, Text: "(#80007) Rate limit issues", Times: 1})
	_, err = a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "to wait")
}

func TestWhatsapp_Configuration(t *testing.T) {
	t.Parallel()
	good := channel.Config{
		Options: channel.Options{Name: "wa", Kind: Kind, Settings: map[string]string{"phone_number_id": "106540352242922"}},
		Secrets: map[string]string{"token": "EAAJBtest123", "app_secret": "0123456789abcdef0123456789abcdef", "verify_token": "of-our-own"},
	}
	a, err := New(good)
	if err != nil || a.api.base.String() != "https://graph.facebook.com" || a.api.version != defaultVersion {
		t.Errorf("New: %+v, %v", a, err)
	}
	for name, c := range map[string]struct{ secrets, settings map[string]string }{
		"token":           {secrets: map[string]string{"token": "EAA x"}},
		"app_secret":      {secrets: map[string]string{"app_secret": "short"}},
		"verify_token":    {secrets: map[string]string{"verify_token": "with space"}},
		"phone_number_id": {settings: map[string]string{"phone_number_id": "+1 555"}},
		"version":         {settings: map[string]string{"version": "24"}},
		"timeout":         {settings: map[string]string{"timeout": "1ms"}},
		"settle":          {settings: map[string]string{"settle": "1h"}},
		"check":           {settings: map[string]string{"check": "soon"}},
	} {
		bad := good
		bad.Secrets, bad.Settings = maps.Clone(good.Secrets), maps.Clone(good.Settings)
		maps.Copy(bad.Secrets, c.secrets)
		maps.Copy(bad.Settings, c.settings)
		_, err := Platform().Open(bad)
		channeltest.WantFault(t, err, fault.Invalid, name)
	}
}
