//go:build whatsmeow

package whatsmeowtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/libsignal/groups"
	"go.mau.fi/libsignal/keys/identity"
	"go.mau.fi/libsignal/keys/prekey"
	"go.mau.fi/libsignal/protocol"
	"go.mau.fi/libsignal/session"
	"go.mau.fi/libsignal/util/optional"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // the driver that sqlstore is told to use
)

// A Person is somebody with a phone.
type Person struct {
	Number, LID types.JID
	Name        string

	s      *Server
	device *store.Device // their phone's keys; guarded by the server's mu
}

// Person makes somebody who has WhatsApp.
func (s *Server) Person(name, number, lid string) *Person {
	s.t.Helper()
	p := &Person{Number: types.NewJID(number, types.DefaultUserServer), LID: types.NewJID(lid, types.HiddenUserServer), Name: name, s: s}
	ctx := s.t.Context()
	file := filepath.Join(s.t.TempDir(), number+".db")
	kept, err := sqlstore.New(ctx, "sqlite", "file:"+file+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_pragma=synchronous(0)", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = kept.Close() })
	p.device = kept.NewDevice()
	p.device.ID, p.device.LID = &p.Number, p.LID
	some := bytes.Repeat([]byte{1}, 64)
	p.device.Account = &waAdv.ADVSignedDeviceIdentity{Details: some, AccountSignature: some, AccountSignatureKey: some[:32], DeviceSignature: some}
	if err := p.device.Save(ctx); err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people = append(s.people, p)
	return p
}

// bundle is what others begin a conversation with.
func (p *Person) bundle(as types.JID) (waBinary.Node, error) {
	once, err := p.device.PreKeys.GenOnePreKey(p.s.t.Context())
	if err != nil {
		return waBinary.Node{}, err
	}
	signed := p.device.SignedPreKey
	return waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": as}, Content: []waBinary.Node{
		{Tag: "registration", Content: binary.BigEndian.AppendUint32(nil, p.device.RegistrationID)},
		{Tag: "type", Content: []byte{ecc.DjbType}},
		{Tag: "identity", Content: p.device.IdentityKey.Pub[:]},
		{Tag: "key", Content: []waBinary.Node{{Tag: "id", Content: three(once.KeyID)}, {Tag: "value", Content: once.Pub[:]}}},
		{Tag: "skey", Content: []waBinary.Node{{Tag: "id", Content: three(signed.KeyID)}, {Tag: "value", Content: signed.Pub[:]}, {Tag: "signature", Content: signed.Signature[:]}}},
	}}, nil
}

func three(id uint32) []byte { return binary.BigEndian.AppendUint32(nil, id)[1:] }

func (p *Person) cipher() *session.Cipher {
	to := p.s.LID.SignalAddress()
	return session.NewCipher(session.NewBuilderFromSignal(p.device, to, store.SignalProtobufSerializer), to)
}

// seal encrypts a message for the linked device.
func (p *Person) seal(m *waE2E.Message) (waBinary.Node, error) {
	ctx, to := p.s.t.Context(), p.s.LID.SignalAddress()
	had, err := p.device.ContainsSession(ctx, to)
	if err != nil {
		return waBinary.Node{}, err
	}
	if !had {
		bundle, err := p.s.device.bundle()
		if err != nil {
			return waBinary.Node{}, err
		}
		if err := session.NewBuilderFromSignal(p.device, to, store.SignalProtobufSerializer).ProcessBundle(ctx, bundle); err != nil {
			return waBinary.Node{}, err
		}
	}
	plain, err := proto.Marshal(m)
	if err != nil {
		return waBinary.Node{}, err
	}
	sealed, err := p.cipher().Encrypt(ctx, append(plain, 2, 2))
	if err != nil {
		return waBinary.Node{}, err
	}
	kind := "msg"
	if sealed.Type() == protocol.PREKEY_TYPE {
		kind = "pkmsg"
	}
	return waBinary.Node{Tag: "enc", Attrs: waBinary.Attrs{"v": "2", "type": kind}, Content: sealed.Serialize()}, nil
}

// write encrypts a message for the linked device, or for a group if there is one.
func (p *Person) write(m *waE2E.Message, group types.JID) ([]waBinary.Node, error) {
	if !group.IsEmpty() {
		return p.share(m, group)
	}
	enc, err := p.seal(m)
	return []waBinary.Node{enc}, err
}

// share encrypts a message for a group: the key for one who is in it, and with that the message for all.
func (p *Person) share(m *waE2E.Message, group types.JID) ([]waBinary.Node, error) {
	ctx, pb := p.s.t.Context(), store.SignalProtobufSerializer
	builder, name := groups.NewGroupSessionBuilder(p.device, pb), protocol.NewSenderKeyName(group.String(), p.LID.SignalAddress())
	key, err := builder.Create(ctx, name)
	if err != nil {
		return nil, err
	}
	first, err := p.seal(&waE2E.Message{SenderKeyDistributionMessage: &waE2E.SenderKeyDistributionMessage{GroupID: proto.String(group.String()), AxolotlSenderKeyDistributionMessage: key.Serialize()}})
	if err != nil {
		return nil, err
	}
	plain, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	sealed, err := groups.NewGroupCipher(builder, name, p.device).Encrypt(ctx, append(plain, 2, 2))
	if err != nil {
		return nil, err
	}
	shared, ok := sealed.(*protocol.SenderKeyMessage)
	if !ok {
		return nil, errors.New("it is not encrypted for a group")
	}
	return []waBinary.Node{first, {Tag: "enc", Attrs: waBinary.Attrs{"v": "2", "type": "skmsg"}, Content: shared.SignedSerialize()}}, nil
}

// open reads what the linked device encrypted for a person, or for a group that they are in.
func (p *Person) open(enc waBinary.Node, group types.JID) (*waE2E.Message, error) {
	raw, _ := enc.Content.([]byte)
	kind, _ := enc.Attrs["type"].(string)
	ctx, pb := p.s.t.Context(), store.SignalProtobufSerializer
	var plain []byte
	var err error
	switch kind {
	case "pkmsg":
		var m *protocol.PreKeySignalMessage
		if m, err = protocol.NewPreKeySignalMessageFromBytes(raw, pb.PreKeySignalMessage, pb.SignalMessage); err == nil {
			plain, err = p.cipher().DecryptMessage(ctx, m)
		}
	case "msg":
		var m *protocol.SignalMessage
		if m, err = protocol.NewSignalMessageFromBytes(raw, pb.SignalMessage); err == nil {
			plain, err = p.cipher().Decrypt(ctx, m)
		}
	case "skmsg":
		var m *protocol.SenderKeyMessage
		if m, err = protocol.NewSenderKeyMessageFromBytes(raw, pb.SenderKeyMessage); err == nil {
			builder := groups.NewGroupSessionBuilder(p.device, pb)
			plain, err = groups.NewGroupCipher(builder, protocol.NewSenderKeyName(group.String(), p.s.LID.SignalAddress()), p.device).Decrypt(ctx, m)
		}
	default:
		err = errors.New("it is encrypted in no known way: " + kind)
	}
	if err != nil || len(plain) == 0 {
		return nil, errors.Join(errors.New("nothing can be read"), err)
	}
	out := new(waE2E.Message)
	if err := proto.Unmarshal(plain[:len(plain)-int(plain[len(plain)-1])], out); err != nil {
		return nil, err
	}
	if d := out.GetSenderKeyDistributionMessage(); d != nil {
		k, err := protocol.NewSenderKeyDistributionMessageFromBytes(d.GetAxolotlSenderKeyDistributionMessage(), pb.SenderKeyDistributionMessage)
		if err != nil {
			return nil, err
		}
		err = groups.NewGroupSessionBuilder(p.device, pb).Process(ctx, protocol.NewSenderKeyName(d.GetGroupID(), p.s.LID.SignalAddress()), k)
		return out, err
	}
	return out, nil
}

// A linked is the device that was linked, as the server knows it.
type linked struct {
	noise, identity []byte
	registration    uint32
	signed          waBinary.Node
	once            []waBinary.Node
}

// bundle takes one of the device's keys.
func (d *linked) bundle() (*prekey.Bundle, error) {
	if d == nil || len(d.once) == 0 {
		return nil, errors.New("the device has left no keys")
	}
	key := d.once[0]
	d.once = d.once[1:]
	id := func(n waBinary.Node) uint32 {
		raw, _ := n.GetChildByTag("id").Content.([]byte)
		return binary.BigEndian.Uint32(append([]byte{0}, raw...))
	}
	value := func(n waBinary.Node, tag string) []byte {
		raw, _ := n.GetChildByTag(tag).Content.([]byte)
		return raw
	}
	return prekey.NewBundle(d.registration, 0, optional.NewOptionalUint32(id(key)), id(d.signed),
		ecc.NewDjbECPublicKey([32]byte(value(key, "value"))), ecc.NewDjbECPublicKey([32]byte(value(d.signed, "value"))), [64]byte(value(d.signed, "signature")),
		identity.NewKey(ecc.NewDjbECPublicKey([32]byte(d.identity)))), nil
}
