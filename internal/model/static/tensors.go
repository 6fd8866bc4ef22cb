package static

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// wrong says what of a file does not fit.
func wrong(format string, args ...any) error { return fmt.Errorf(format, args...) }

// Bounds of a model.
const (
	maxHeader  = 1 << 20
	maxColumns = 8192
)

// sizes are the bytes of a number by its type.
var sizes = map[string]int{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I8": 1, "I64": 8, "I32": 4}

// A tensor is a table of numbers in a file of safetensors.
type tensor struct {
	kind  string
	shape []int
	raw   []byte
}

type tensors map[string]tensor

// readTensors reads a file of safetensors: the length of its header, the header in JSON, and the numbers.
func readTensors(raw []byte) (tensors, error) {
	if len(raw) < 8 {
		return nil, wrong("%s is no file of safetensors: it has %d bytes", modelFile, len(raw))
	}
	n := binary.LittleEndian.Uint64(raw)
	if n > maxHeader || int(n) > len(raw)-8 {
		return nil, wrong("%s is no file of safetensors: its header has %d bytes of %d", modelFile, n, len(raw))
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(raw[8:8+n], &header); err != nil {
		return nil, wrong("the header of %s is no JSON object: %w", modelFile, err)
	}
	body, out := raw[8+n:], make(tensors)
	for name, h := range header {
		if name == "__metadata__" {
			continue
		}
		var about struct {
			Kind  string `json:"dtype"`
			Shape []int  `json:"shape"`
			Place []int  `json:"data_offsets"`
		}
		if err := json.Unmarshal(h, &about); err != nil {
			return nil, wrong("the header of %s does not say where %q is: %w", modelFile, name, err)
		}
		if len(about.Place) != 2 || about.Place[0] < 0 || about.Place[1] < about.Place[0] || about.Place[1] > len(body) {
			return nil, wrong("%q lies outside of %s", name, modelFile)
		}
		t := tensor{about.Kind, about.Shape, body[about.Place[0]:about.Place[1]]}
		if size, known := sizes[t.kind]; known {
			want := int64(size)
			for _, s := range t.shape {
				if s < 0 || s > 0 && want > maxModel/int64(s) {
					return nil, wrong("%q has a shape that %s has no room for", name, modelFile)
				}
				want *= int64(s)
			}
			if want != int64(len(t.raw)) {
				return nil, wrong("%q has %d bytes, and its shape asks for %d", name, len(t.raw), want)
			}
		}
		out[name] = t
	}
	return out, nil
}

// A table has a row of numbers for each piece. The numbers stay as the file has them.
type table struct {
	kind          string
	rows, columns int
	raw           []byte
}

func (ts tensors) table(name string) (table, error) {
	t, ok := ts[name]
	if !ok || len(t.shape) != 2 || t.shape[0] == 0 || t.shape[1] == 0 || t.shape[1] > maxColumns {
		return table{}, wrong("%s has no table %q of rows with up to %d numbers", modelFile, name, maxColumns)
	}
	switch t.kind {
	case "F64", "F32", "F16", "BF16", "I8":
	default:
		return table{}, wrong("%q has numbers of the type %q; F64, F32, F16, BF16 and I8 are known", name, t.kind)
	}
	return table{t.kind, t.shape[0], t.shape[1], t.raw}, nil
}

// add adds a row to a sum.
func (t table) add(sum []float32, row int, weight float32) {
	size := sizes[t.kind]
	raw := t.raw[row*t.columns*size : (row+1)*t.columns*size]
	switch t.kind {
	case "F32":
		for i := range sum {
			sum[i] += weight * math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case "I8":
		for i := range sum {
			sum[i] += weight * float32(int8(raw[i])) //nolint:gosec // the byte is a signed number
		}
	default:
		for i := range sum {
			sum[i] += weight * float32(decode(t.kind, raw[size*i:]))
		}
	}
}

// decode reads one number.
func decode(kind string, raw []byte) float64 {
	switch kind {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(raw))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	case "BF16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw)) << 16))
	case "F16":
		return half(binary.LittleEndian.Uint16(raw))
	}
	return float64(int8(raw[0])) //nolint:gosec // the byte is a signed number
}

// half is the value of a number of 16 bits.
func half(bits uint16) float64 {
	sign, exponent, part := 1.0, int(bits>>10)&31, float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(part, -24)
	case 31:
		if part == 0 {
			return math.Inf(int(sign))
		}
		return math.NaN()
	}
	return sign * math.Ldexp(part+1024, exponent-25)
}

// floats reads a list of numbers that may be left out.
func (ts tensors) floats(name string) ([]float32, error) {
	t, ok := ts[name]
	if !ok {
		return nil, nil
	}
	switch {
	case len(t.shape) != 1:
		return nil, wrong("%q is no list", name)
	case t.kind != "F64" && t.kind != "F32" && t.kind != "F16" && t.kind != "BF16":
		return nil, wrong("%q has numbers of the type %q; F64, F32, F16 and BF16 are known", name, t.kind)
	}
	out := make([]float32, t.shape[0])
	for i := range out {
		out[i] = float32(decode(t.kind, t.raw[i*sizes[t.kind]:]))
	}
	return out, nil
}

// numbers reads a list of whole numbers below a limit, which may be left out.
func (ts tensors) numbers(name string, limit int) ([]int32, error) {
	t, ok := ts[name]
	if !ok {
		return nil, nil
	}
	if len(t.shape) != 1 || t.kind != "I64" && t.kind != "I32" {
		return nil, wrong("%q is no list of whole numbers", name)
	}
	out := make([]int32, t.shape[0])
	for i := range out {
		var n int64
		if t.kind == "I64" {
			n = int64(binary.LittleEndian.Uint64(t.raw[8*i:])) //nolint:gosec // the bytes are a signed number
		} else {
			n = int64(int32(binary.LittleEndian.Uint32(t.raw[4*i:]))) //nolint:gosec // the bytes are a signed number
		}
		if n < 0 || n >= int64(limit) {
			return nil, wrong("%q names row %d of %d", name, n, limit)
		}
		out[i] = int32(n)
	}
	return out, nil
}
