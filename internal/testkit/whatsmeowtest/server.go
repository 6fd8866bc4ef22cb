//go:build whatsmeow

package whatsmeowtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"go.mau.fi/libsignal/ecc"
	lib "go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
	"google.golang.org/protobuf/proto"

	"chela/internal/testkit/channeltest"
)

// Server is WhatsApp, with one number to whose phone a device can be linked.
type Server struct {
	*channeltest.Server
	t     testing.TB
	keys  trust
	up    websocket.Upgrader
	Owner *Person
	LID   types.JID // of the owner's linked device

	mu      sync.Mutex // guards the rest, and what is written
	live    *noise     // the connection of the device
	active  *noise     // the connection over which what waited was sent; what comes is sent there from then on
	refs    int        // codes that were given out
	device  *linked
	people  []*Person
	groups  map[types.JID][]*Person
	waiting []waBinary.Node // messages for the device that it has not confirmed
	sent    []Sent
	seen    []waBinary.Node // receipts, typing and the like that came from the device
	files   map[string][]byte
	number  int
	deaf    bool           // it hears messages of the device and does not answer
	frozen  *noise         // the connection over which nothing is heard and said any more
	fails   []string       // what the next messages of the device are refused with
	cut     bool           // the connection breaks at the next message of the device
	no      waBinary.Attrs // what whoever connects is refused with; nil is nothing
}

// Sent is a message that the device sent to somebody, as that person reads it.
type Sent struct {
	ID   string
	To   types.JID
	For  *Person
	What *waE2E.Message
	Edit bool // it was marked as one
}

// Of the device that is linked.
const deviceNumber = 7

// New starts one, and ends it with the test.
func New(t testing.TB) *Server {
	s := &Server{t: t, keys: trust{keys.NewKeyPair(), keys.NewKeyPair()}, groups: make(map[types.JID][]*Person), files: make(map[string][]byte)}
	s.up.CheckOrigin = func(*http.Request) bool { return true }
	was := lib.WACertPubKey
	lib.WACertPubKey = *s.keys.root.Pub
	s.Server = channeltest.New(t, "WhatsApp's app", s.serve, channeltest.Hooks{Down: s.Cut, Ask: func() {}}) // what is waited for may be elsewhere
	t.Cleanup(func() { lib.WACertPubKey = was })
	s.Owner = s.Person("Olga", "4915550000001", "100000000000001")
	s.LID = s.Owner.LID
	s.LID.Device = deviceNumber
	s.Start()
	return s
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/ws/chat":
		ws, err := s.up.Upgrade(w, r, nil)
		if err != nil {
			return // it has answered
		}
		defer func() { _ = ws.Close() }() // it is at its end
		s.converse(ws)
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/mms/"):
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // it has gone
		}
		s.mu.Lock()
		s.number++
		at := fmt.Sprintf("/file/%d", s.number)
		s.files[at] = raw
		s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]string{"url": "https://media.whatsapp.net" + at + "?x=1", "direct_path": at + "?x=1"}) // who has gone does not read it
	case r.URL.Path == "/" || r.URL.Path == "":
		_, _ = fmt.Fprintf(w, `{"client_revision":%d,"x":1}`, Newest) // who has gone does not read it
	default:
		s.mu.Lock()
		raw, had := s.files[r.URL.Path]
		s.mu.Unlock()
		if !had {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(raw) // who has gone does not read it
	}
}

func (s *Server) converse(ws *websocket.Conn) {
	n, payload, key, err := s.keys.greet(ws)
	if err != nil {
		s.Called("broken handshake")
		return
	}
	s.mu.Lock()
	s.live = n
	s.begin(payload, key)
	s.mu.Unlock()
	s.Called("connect")
	for {
		node, err := n.next()
		s.mu.Lock()
		if err == nil && s.frozen == n {
			s.mu.Unlock()
			continue
		}
		if err == nil {
			err = s.answer(payload, *node)
		}
		if err != nil && s.live == n {
			s.live = nil
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
		s.Called(strings.TrimSpace(node.Tag + " " + text(node.Attrs["xmlns"])))
	}
}

func text(v any) string {
	out, _ := v.(string)
	return out
}

// say writes to the device if it is there. The caller holds mu.
func (s *Server) say(n waBinary.Node) {
	if s.live != nil && s.live != s.frozen {
		_ = s.live.say(n) // a connection that broke is found when it is read
	}
}

// deliver writes to the device what it has to confirm, in its order: not before what waits, which a connection gets when it is active.
// The caller holds mu.
func (s *Server) deliver(n waBinary.Node) {
	s.waiting = append(s.waiting, n)
	if s.live == s.active {
		s.say(n)
	}
}

// begin answers who has greeted. The caller holds mu.
func (s *Server) begin(p *waWa6.ClientPayload, key []byte) {
	switch {
	case s.no != nil:
		s.say(waBinary.Node{Tag: "failure", Attrs: s.no})
	case p.GetDevicePairingData() != nil:
		var refs []waBinary.Node
		for range 6 {
			s.refs++
			refs = append(refs, waBinary.Node{Tag: "ref", Content: fmt.Appendf(nil, "2@ref%d", s.refs)})
		}
		s.say(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": "pair", "xmlns": "md"}, Content: []waBinary.Node{{Tag: "pair-device", Content: refs}}})
	case s.device == nil || !bytes.Equal(key, s.device.noise):
		s.say(waBinary.Node{Tag: "failure", Attrs: waBinary.Attrs{"reason": "401"}})
	default:
		s.say(waBinary.Node{Tag: "success", Attrs: waBinary.Attrs{"t": "1700000000", "lid": s.LID}})
	}
}

// Scan shows a code to the owner's phone, which links the device.
func (s *Server) Scan(code string) {
	s.t.Helper()
	parts := strings.Split(code, ",")
	if len(parts) != 4 {
		s.t.Fatalf("the code %q has not four parts", code)
	}
	var raw [3][]byte
	for i := range raw {
		var err error
		if raw[i], err = base64.StdEncoding.DecodeString(parts[i+1]); err != nil {
			s.t.Fatal(err)
		}
	}
	phone := s.Owner.device.IdentityKey
	details, err := proto.Marshal(&waAdv.ADVDeviceIdentity{RawID: proto.Uint32(1), Timestamp: proto.Uint64(1_700_000_000), KeyIndex: proto.Uint32(1)})
	if err != nil {
		s.t.Fatal(err)
	}
	signature := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*phone.Priv), append(append(bytes.Clone(lib.AdvAccountSignaturePrefix), details...), raw[1]...))
	signed, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentity{Details: details, AccountSignatureKey: phone.Pub[:], AccountSignature: signature[:]})
	if err != nil {
		s.t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw[2])
	mac.Write(signed)
	sealed, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentityHMAC{Details: signed, HMAC: mac.Sum(nil)})
	if err != nil {
		s.t.Fatal(err)
	}
	number := s.Owner.Number
	number.Device = deviceNumber
	s.mu.Lock()
	defer s.mu.Unlock()
	s.device = &linked{noise: raw[0], identity: raw[1]}
	s.say(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": "paired"}, Content: []waBinary.Node{{Tag: "pair-success", Content: []waBinary.Node{
		{Tag: "device-identity", Content: sealed}, {Tag: "device", Attrs: waBinary.Attrs{"jid": number, "lid": s.LID}}, {Tag: "platform", Attrs: waBinary.Attrs{"name": "android"}},
	}}}})
}

// Unlink has the phone unlink the device.
func (s *Server) Unlink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.device = nil
	s.say(waBinary.Node{Tag: "stream:error", Attrs: waBinary.Attrs{"code": "401"}, Content: []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": "device_removed"}}}})
}

// Cut breaks the connection.
func (s *Server) Cut() {
	s.mu.Lock()
	n := s.live
	s.live = nil
	s.mu.Unlock()
	if n != nil {
		_ = n.ws.Close() // whatever it says, it is closed
	}
}

// Refuse has whoever connects be refused, with the attributes of the refusal; nil lets them in again.
func (s *Server) Refuse(why waBinary.Attrs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.no = why
}

// Newest is the version of the app that WhatsApp's page names.
const Newest = 1_999_999_999

// Deafen has messages of the device read and kept, and not answered, or answered again.
func (s *Server) Deafen(deaf bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = deaf
}

// Freeze has the connection stand over which nothing is heard and said any more.
func (s *Server) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = s.live
}

// Fail refuses the next message of the device with a code.
func (s *Server) Fail(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = append(s.fails, code)
}

// CutAfter breaks the connection when the next message of the device has come, without an answer.
func (s *Server) CutAfter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = true
}

// Group makes a group of people and the owner.
func (s *Server) Group(id string, members ...*Person) types.JID {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := types.NewJID(id, types.GroupServer)
	s.groups[j] = append(members, s.Owner)
	return j
}

// Say has a person write to the owner, or into a group. It returns the message's id.
func (s *Server) Say(from *Person, group types.JID, m *waE2E.Message) string {
	s.t.Helper()
	s.Wait("the keys of the device", s.keyed)
	s.mu.Lock()
	defer s.mu.Unlock()
	content, err := from.write(m, group)
	if err != nil {
		s.t.Fatal(err)
	}
	s.number++
	id := fmt.Sprintf("3A%06d", s.number)
	attrs := waBinary.Attrs{"id": id, "from": from.LID, "sender_pn": from.Number, "t": fmt.Sprint(1_700_000_000 + s.number), "type": "text", "notify": from.Name}
	if !group.IsEmpty() {
		delete(attrs, "sender_pn")
		attrs["from"], attrs["participant"], attrs["participant_pn"], attrs["addressing_mode"] = group, from.LID, from.Number, "lid"
	}
	node := waBinary.Node{Tag: "message", Attrs: attrs, Content: content}
	s.deliver(node)
	return id
}

func (s *Server) keyed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.device != nil && s.device.registration != 0
}

// Tell says what became of a message of the device's: "" arrived, "read" and so on.
func (s *Server) Tell(from *Person, id, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	attrs := waBinary.Attrs{"id": id, "from": from.LID, "t": "1700000100"}
	if what != "" {
		attrs["type"] = what
	}
	node := waBinary.Node{Tag: "receipt", Attrs: attrs}
	s.deliver(node)
}

// Sent returns what the device sent to others than the owner, as often as it did.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sent
	for _, m := range s.sent {
		if m.For != s.Owner {
			out = append(out, m)
		}
	}
	return out
}

// Shows returns what the app of a person shows of what the device wrote: each message once, and as it was edited.
func (s *Server) Shows(p *Person) []string {
	var ids []string
	texts := make(map[string]string)
	for _, m := range s.Sent() {
		if m.For != p {
			continue
		}
		_, known := texts[m.ID]
		if e := m.What.GetEditedMessage().GetMessage().GetProtocolMessage(); e != nil {
			_, known = texts[e.GetKey().GetID()]
			if known && m.Edit && e.GetType() == waE2E.ProtocolMessage_MESSAGE_EDIT && e.GetKey().GetFromMe() {
				texts[e.GetKey().GetID()] = words(e.GetEditedMessage())
			}
		} else if !known {
			ids, texts[m.ID] = append(ids, m.ID), words(m.What)
		}
	}
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = texts[id]
	}
	return out
}

func words(m *waE2E.Message) string {
	return m.GetConversation() + m.GetExtendedTextMessage().GetText()
}

// Waiting says how many messages and receipts the device has not confirmed.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// Came returns what the device did with a tag, such as chatstate.
func (s *Server) Came(tag string) []waBinary.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []waBinary.Node
	for _, n := range s.seen {
		if n.Tag == tag {
			out = append(out, n)
		}
	}
	return out
}
