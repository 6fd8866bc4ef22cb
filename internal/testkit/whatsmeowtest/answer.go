//go:build whatsmeow

package whatsmeowtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.mau.fi/libsignal/ecc"
	lib "go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// errOver says that the connection is at its end, as the protocol has it.
var errOver = errors.New("the connection is at its end")

// answer does what the device asks. The caller holds mu.
func (s *Server) answer(who *waWa6.ClientPayload, n waBinary.Node) error {
	switch n.Tag {
	case "iq":
		return s.query(who, n)
	case "message":
		return s.message(n)
	case "receipt", "ack":
		s.seen = append(s.seen, n)
		s.confirmed(n)
	default:
		s.seen = append(s.seen, n)
	}
	return nil
}

// confirmed takes out what the device has: a message by its receipt, a receipt by its ack.
func (s *Server) confirmed(n waBinary.Node) {
	if kind := text(n.Attrs["type"]); n.Tag == "receipt" && kind != "" && kind != "inactive" {
		return // a read receipt and the like
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w waBinary.Node) bool {
		return w.Attrs["id"] == n.Attrs["id"] && (w.Tag == "message" && n.Tag == "receipt" || w.Tag == "receipt" && n.Tag == "ack" && w.Attrs["type"] == n.Attrs["type"])
	})
	if n.Tag == "receipt" {
		s.say(waBinary.Node{Tag: "ack", Attrs: waBinary.Attrs{"class": "receipt", "id": n.Attrs["id"], "from": n.Attrs["to"]}})
	}
}

func (s *Server) result(n waBinary.Node, content ...waBinary.Node) {
	out := waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"type": "result", "id": n.Attrs["id"], "from": types.ServerJID}}
	if len(content) > 0 {
		out.Content = content
	}
	s.say(out)
}

func (s *Server) query(who *waWa6.ClientPayload, n waBinary.Node) error {
	children := n.GetChildren()
	first := waBinary.Node{}
	if len(children) > 0 {
		first = children[0]
	}
	switch kind := text(n.Attrs["xmlns"]) + " " + first.Tag; {
	case n.Attrs["id"] == "paired":
		return s.paired(who, first)
	case text(n.Attrs["type"]) == "result":
	case kind == "encrypt count":
		s.result(n, waBinary.Node{Tag: "count", Attrs: waBinary.Attrs{"value": fmt.Sprint(len(s.device.once))}})
	case kind == "encrypt registration":
		list := n.GetChildByTag("list")
		s.device.signed, s.device.once = n.GetChildByTag("skey"), list.GetChildren()
		raw, _ := first.Content.([]byte)
		s.device.registration = binary.BigEndian.Uint32(raw)
		s.result(n)
	case kind == "encrypt key":
		return s.bundles(n, first)
	case kind == "passive active":
		s.result(n)
		s.active = s.live
		for _, w := range s.waiting {
			s.say(w)
		}
	case kind == "usync usync":
		s.devices(n, first)
	case kind == "w:g2 query":
		s.group(n)
	case kind == "w:m media_conn":
		s.result(n, waBinary.Node{Tag: "media_conn", Attrs: waBinary.Attrs{"auth": "a", "ttl": "300", "auth_ttl": "300", "max_buckets": "1"}, Content: []waBinary.Node{{Tag: "host", Attrs: waBinary.Attrs{"hostname": "media.whatsapp.net"}}}})
	default:
		s.result(n)
	}
	return nil
}

// paired looks whether the device has signed for who it is, and ends the connection, as WhatsApp does.
func (s *Server) paired(who *waWa6.ClientPayload, sign waBinary.Node) error {
	raw, _ := sign.GetChildByTag("device-identity").Content.([]byte)
	var id waAdv.ADVSignedDeviceIdentity
	if err := proto.Unmarshal(raw, &id); err != nil || len(id.GetDeviceSignature()) != 64 {
		s.device = nil
		return errOver
	}
	said := slices.Concat(lib.AdvDeviceSignaturePrefix, id.GetDetails(), s.device.identity, s.Owner.device.IdentityKey.Pub[:])
	if !ecc.VerifySignature(ecc.NewDjbECPublicKey([32]byte(s.device.identity)), said, [64]byte(id.GetDeviceSignature())) || string(who.GetDevicePairingData().GetEIdent()) != string(s.device.identity) {
		s.device = nil
		return errOver
	}
	s.say(waBinary.Node{Tag: "stream:error", Attrs: waBinary.Attrs{"code": "515"}})
	return nil
}

func (s *Server) personOf(j types.JID) *Person {
	j = j.ToNonAD()
	for _, p := range s.people {
		if p.Number == j || p.LID == j {
			return p
		}
	}
	return nil
}

// devices says which devices people have: their phone, and the owner also the one that asks.
func (s *Server) devices(n, usync waBinary.Node) {
	var out []waBinary.Node
	list := usync.GetChildByTag("list")
	for _, u := range list.GetChildren() {
		j, _ := u.Attrs["jid"].(types.JID)
		p := s.personOf(j)
		if p == nil {
			continue
		}
		all := []waBinary.Node{{Tag: "device", Attrs: waBinary.Attrs{"id": "0"}}}
		if p == s.Owner {
			all = append(all, waBinary.Node{Tag: "device", Attrs: waBinary.Attrs{"id": fmt.Sprint(deviceNumber)}})
		}
		out = append(out, waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": j}, Content: []waBinary.Node{{Tag: "devices", Content: []waBinary.Node{{Tag: "device-list", Content: all}}}}})
	}
	s.result(n, waBinary.Node{Tag: "usync", Content: []waBinary.Node{{Tag: "list", Content: out}}})
}

func (s *Server) bundles(n, key waBinary.Node) error {
	var out []waBinary.Node
	for _, u := range key.GetChildren() {
		j, _ := u.Attrs["jid"].(types.JID)
		p := s.personOf(j)
		if p == nil {
			continue
		}
		b, err := p.bundle(j)
		if err != nil {
			return err
		}
		out = append(out, b)
	}
	s.result(n, waBinary.Node{Tag: "list", Content: out})
	return nil
}

func (s *Server) group(n waBinary.Node) {
	j, _ := n.Attrs["to"].(types.JID)
	members, had := s.groups[j]
	if !had {
		s.say(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"type": "error", "id": n.Attrs["id"], "from": j}, Content: []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": "404", "text": "item-not-found"}}}})
		return
	}
	var list []waBinary.Node
	for _, p := range members {
		list = append(list, waBinary.Node{Tag: "participant", Attrs: waBinary.Attrs{"jid": p.LID, "phone_number": p.Number}})
	}
	s.result(n, waBinary.Node{Tag: "group", Attrs: waBinary.Attrs{"id": j.User, "creation": "1700000000", "addressing_mode": "lid"}, Content: list})
}

// message reads a message of the device's with the keys of those whom it is for.
func (s *Server) message(n waBinary.Node) error {
	to, _ := n.Attrs["to"].(types.JID)
	if s.personOf(to) == nil && s.groups[to] == nil {
		s.ack(n, to, "404")
		return nil
	}
	if len(s.fails) > 0 {
		s.ack(n, to, s.fails[0])
		s.fails = s.fails[1:]
		return nil
	}
	whole, shared := n.GetOptionalChildByTag("enc")
	list := n.GetChildByTag("participants")
	for _, each := range list.GetChildren() {
		j, _ := each.Attrs["jid"].(types.JID)
		p := s.personOf(j)
		if p == nil {
			return fmt.Errorf("a message is for %s, whom nobody knows", j)
		}
		m, err := p.open(each.GetChildByTag("enc"), to)
		if err != nil {
			return s.garbled(p, err)
		}
		if !shared {
			s.sent = append(s.sent, Sent{text(n.Attrs["id"]), to, p, m, n.Attrs["edit"] == "1"})
		}
	}
	for _, p := range s.groups[to] {
		if !shared || p == s.Owner {
			continue
		}
		m, err := p.open(whole, to)
		if err != nil {
			return s.garbled(p, err)
		}
		s.sent = append(s.sent, Sent{text(n.Attrs["id"]), to, p, m, n.Attrs["edit"] == "1"})
	}
	if s.cut {
		s.cut = false
		return errOver
	}
	if !s.deaf {
		s.ack(n, to, "")
	}
	return nil
}

// garbled fails the test, which may have ended meanwhile.
func (s *Server) garbled(p *Person, err error) error {
	if s.t.Context().Err() == nil {
		s.t.Errorf("what the device sent cannot be read by %s: %v", p.Name, err)
	}
	return err
}

func (s *Server) ack(n waBinary.Node, to types.JID, code string) {
	attrs := waBinary.Attrs{"class": "message", "id": n.Attrs["id"], "from": to, "t": "1700000050"}
	if code != "" {
		attrs["error"] = code
	}
	s.say(waBinary.Node{Tag: "ack", Attrs: attrs})
}
