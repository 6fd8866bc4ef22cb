package intake

import "unicode/utf8"

// differing cuts two values of a field to about shown bytes each, so that both show where they
// begin to differ: of long ones that begin alike, the beginning is left out.
func differing(before, after string) (string, string) {
	alike := 0
	for alike < min(len(before), len(after)) && before[alike] == after[alike] {
		alike++
	}
	if alike <= shown/2 {
		return clipped(before, shown), clipped(after, shown)
	}
	from := alike - shown/4
	for from > 0 && !utf8.RuneStart(before[from]) {
		from--
	}
	return "…" + clipped(before[from:], shown), "…" + clipped(after[from:], shown)
}
