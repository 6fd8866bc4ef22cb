// Package whatsmeowtest is a fake of WhatsApp as its app speaks with it, on loopback: the handshake, the linking of a
// device by a code, and people who write and read encrypted messages. It is built only with the tag whatsmeow.
package whatsmeowtest
