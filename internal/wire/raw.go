package wire

import "encoding/json"

// With returns object, a JSON object with at least one member, with one more whose value
// is encoded already. Encoding it again with the rest would cost as much as all the rest.
func With(object []byte, key string, value json.RawMessage) []byte {
	out := make([]byte, 0, len(object)+len(key)+len(value)+4)
	out = append(append(append(out, object[:len(object)-1]...), `,"`...), key...)
	return append(append(append(out, `":`...), value...), '}')
}
