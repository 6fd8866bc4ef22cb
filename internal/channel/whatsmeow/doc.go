// Package whatsmeow is a number of a person or a small business on WhatsApp, by the protocol of the app: we are a
// linked device, as WhatsApp Web is. It is built only with the tag whatsmeow, because go.mau.fi/whatsmeow depends on a
// library under the GPL; ADR 23 says more. The business platform is in channel/whatsapp.
package whatsmeow
