package chart

import "strings"

// Sparkline draws values as a line of blocks, from zero to the greatest.
func Sparkline(values []float64) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range values {
		i := 0
		if most > 0 && v > 0 {
			i = min(int(v/most*float64(len(blocks)-1)+0.5), len(blocks)-1)
		}
		b.WriteRune(blocks[i])
	}
	return b.String()
}

// Values are those of a series' points.
func (s Series) Values() []float64 {
	out := make([]float64, len(s.Points))
	for i, p := range s.Points {
		out[i] = p.Value
	}
	return out
}
