//go:build whatsmeow

package whatsmeowtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gorilla/websocket"
	"go.mau.fi/libsignal/ecc"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waCert"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/socket"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// A noise is the server's side of Noise_XX_25519_AESGCM_SHA256 (noiseprotocol.org/noise.html).
type noise struct {
	ws         *websocket.Conn
	hash, salt []byte
	key        cipher.AEAD
	count      uint32 // with key

	read, write         cipher.AEAD // after the handshake
	readCount, sendings uint32
}

// A trust is by which keys the server is known.
type trust struct{ root, static *keys.KeyPair }

func sum(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write(p) // never fails
	}
	return h.Sum(nil)
}

func sealer(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return out
}

func (n *noise) mixHash(data []byte) { n.hash = sum(n.hash, data) }

func (n *noise) expand(secret []byte) (first, second []byte) {
	out, err := hkdf.Key(sha256.New, secret, n.salt, "", 64)
	if err != nil {
		panic(err)
	}
	return out[:32], out[32:]
}

func (n *noise) mix(priv *[32]byte, pub []byte) error {
	secret, err := curve25519.X25519(priv[:], pub)
	if err != nil {
		return err
	}
	var key []byte
	n.salt, key = n.expand(secret)
	n.key, n.count = sealer(key), 0
	return nil
}

func nonce(count *uint32) []byte {
	iv := make([]byte, 12)
	binary.BigEndian.PutUint32(iv[8:], *count)
	*count++
	return iv
}

func (n *noise) seal(plain []byte) []byte {
	out := n.key.Seal(nil, nonce(&n.count), plain, n.hash)
	n.mixHash(out)
	return out
}

func (n *noise) openSealed(sealed []byte) ([]byte, error) {
	out, err := n.key.Open(nil, nonce(&n.count), sealed, n.hash)
	n.mixHash(sealed)
	return out, err
}

// frame reads what the other side wrote in one piece; skip are the bytes before it.
func (n *noise) frame(skip int) ([]byte, error) {
	_, raw, err := n.ws.ReadMessage()
	if err != nil {
		return nil, err
	}
	if len(raw) < skip+3 {
		return nil, errors.New("a frame is too short")
	}
	raw = raw[skip:]
	if size := int(raw[0])<<16 | int(raw[1])<<8 | int(raw[2]); size != len(raw)-3 {
		return nil, fmt.Errorf("a frame of %d bytes says %d", len(raw)-3, size)
	}
	return raw[3:], nil
}

func (n *noise) put(data []byte) error {
	return n.ws.WriteMessage(websocket.BinaryMessage, append([]byte{byte(len(data) >> 16), byte(len(data) >> 8), byte(len(data))}, data...))
}

// certificate is a chain in the form of WhatsApp's, for the server's static key.
func (t trust) certificate() ([]byte, error) {
	link := func(serial, issuer uint32, key []byte, by *keys.KeyPair) (*waCert.CertChain_NoiseCertificate, error) {
		details, err := proto.Marshal(&waCert.CertChain_NoiseCertificate_Details{Serial: &serial, IssuerSerial: &issuer, Key: key})
		signature := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*by.Priv), details)
		return &waCert.CertChain_NoiseCertificate{Details: details, Signature: signature[:]}, err
	}
	between := keys.NewKeyPair()
	first, err := link(1, 0, between.Pub[:], t.root)
	if err != nil {
		return nil, err
	}
	leaf, err := link(2, 1, t.static.Pub[:], between)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(&waCert.CertChain{Intermediate: first, Leaf: leaf})
}

// greet makes the handshake, and returns who the other side says it is and with which key.
func (t trust) greet(ws *websocket.Conn) (*noise, *waWa6.ClientPayload, []byte, error) {
	n := &noise{ws: ws, hash: []byte(socket.NoiseStartPattern), salt: []byte(socket.NoiseStartPattern)}
	n.key = sealer(n.hash)
	n.mixHash(socket.WAConnHeader)
	raw, err := n.frame(len(socket.WAConnHeader))
	if err != nil {
		return nil, nil, nil, err
	}
	var hello waWa6.HandshakeMessage
	if err := proto.Unmarshal(raw, &hello); err != nil {
		return nil, nil, nil, err
	}
	theirs := hello.GetClientHello().GetEphemeral()
	n.mixHash(theirs)
	once := keys.NewKeyPair()
	n.mixHash(once.Pub[:])
	if err := n.mix(once.Priv, theirs); err != nil {
		return nil, nil, nil, err
	}
	static := n.seal(t.static.Pub[:])
	if err := n.mix(t.static.Priv, theirs); err != nil {
		return nil, nil, nil, err
	}
	chain, err := t.certificate()
	if err != nil {
		return nil, nil, nil, err
	}
	answer, err := proto.Marshal(&waWa6.HandshakeMessage{ServerHello: &waWa6.HandshakeMessage_ServerHello{Ephemeral: once.Pub[:], Static: static, Payload: n.seal(chain)}})
	if err != nil {
		return nil, nil, nil, err
	}
	if err := n.put(answer); err != nil {
		return nil, nil, nil, err
	}
	payload, key, err := n.finish(once)
	return n, payload, key, err
}

func (n *noise) finish(once *keys.KeyPair) (*waWa6.ClientPayload, []byte, error) {
	raw, err := n.frame(0)
	if err != nil {
		return nil, nil, err
	}
	var last waWa6.HandshakeMessage
	if err := proto.Unmarshal(raw, &last); err != nil {
		return nil, nil, err
	}
	key, err := n.openSealed(last.GetClientFinish().GetStatic())
	if err != nil {
		return nil, nil, err
	}
	if err := n.mix(once.Priv, key); err != nil {
		return nil, nil, err
	}
	raw, err = n.openSealed(last.GetClientFinish().GetPayload())
	if err != nil {
		return nil, nil, err
	}
	payload := new(waWa6.ClientPayload)
	read, write := n.expand(nil)
	n.read, n.write = sealer(read), sealer(write)
	return payload, key, proto.Unmarshal(raw, payload)
}

// next reads a node.
func (n *noise) next() (*waBinary.Node, error) {
	raw, err := n.frame(0)
	if err != nil {
		return nil, err
	}
	if raw, err = n.read.Open(nil, nonce(&n.readCount), raw, nil); err != nil {
		return nil, err
	}
	if raw, err = waBinary.Unpack(raw); err != nil {
		return nil, err
	}
	return waBinary.Unmarshal(raw)
}

// say writes a node. One may write at a time.
func (n *noise) say(node waBinary.Node) error {
	raw, err := waBinary.Marshal(node)
	if err != nil {
		return err
	}
	return n.put(n.write.Seal(nil, nonce(&n.sendings), raw, nil))
}
