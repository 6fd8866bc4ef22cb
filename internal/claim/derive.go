package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/query"
)

// follows reports whether the number follows from what the records and the table say.
func (k *check) follows(cl clause, n number) bool {
	if n.percent {
		return k.share(cl, n) || k.says("than", "als") && k.sums(cl, n)
	}
	if _, whole := k.rows(cl); whole || len(cl.subjects) > 1 {
		if k.counts(n) {
			return true
		}
	}
	return k.sums(cl, n) || k.ratio(n) || k.between(cl, n)
}

// counts reports whether the number counts the cited records, or those of the table that are what the
// sentence says.
func (k *check) counts(n number) bool {
	if n.unit == "points" || n.unit == "hours" || n.unit == "days" || n.unit == "weeks" {
		return false
	}
	if len(k.cited) > 0 && n.is(float64(len(k.cited))) && k.table.Total == 0 {
		k.derive("%g: the cited records, counted", n.value)
		return true
	}
	if len(k.cited) > 1 && n.is(float64(len(k.cited))) && len(k.states(clause{start: 0, end: len(k.text)})) == 0 {
		k.derive("%g: the cited records, counted", n.value)
		return true
	}
	for _, st := range k.states(clause{start: 0, end: len(k.text)}) {
		count := 0
		for _, r := range k.base() {
			if is, ok := k.s.Is(r, st.word, k.now); ok && is != st.not {
				count++
			}
		}
		if count > 0 && n.is(float64(count)) && len(k.base()) == max(k.table.Total, len(k.cited)) {
			k.derive("%g: the records that are %s, counted", n.value, st.word)
			return true
		}
	}
	return false
}

// base is the records that a sentence is about as a whole: those of the table, else the cited ones.
func (k *check) base() (out []*answer.Record) {
	for _, row := range k.table.Rows {
		if r, ok := k.s.Find(row.ID); ok && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		return out
	}
	return k.cited
}

// column is the numbers of the table's rows in one column, or of the cited records in one field.
type column struct {
	name    string
	of      []string
	numbers []float64
}

// columns returns the columns whose numbers may be of the unit.
func (k *check) columns(n number) (out []column) {
	for i, name := range k.table.Columns {
		col := column{name: name}
		for _, r := range k.table.Rows {
			if i >= len(r.Cells) {
				continue
			}
			if v, percent, ok := cellNumber(r.Cells[i]); ok && percent == n.percent {
				col.numbers, col.of = append(col.numbers, v), append(col.of, r.ID+" "+strings.Join(r.Cells[:min(2, len(r.Cells))], " "))
			}
		}
		if len(col.numbers) > 1 && n.fitsUnit(name) {
			out = append(out, col)
		}
	}
	fields := make(map[string]*column)
	for _, r := range k.cited {
		for _, f := range k.known(r) {
			if f.Type != query.Number || !n.fitsUnit(f.Field) || strings.Contains(f.Field, "%") != n.percent {
				continue
			}
			if fields[f.Field] == nil {
				fields[f.Field] = &column{name: f.Field}
			}
			fields[f.Field].numbers, fields[f.Field].of = append(fields[f.Field].numbers, f.Number), append(fields[f.Field].of, r.ID+" "+r.Title)
		}
	}
	for _, f := range fields {
		if len(f.numbers) > 1 {
			out = append(out, *f)
		}
	}
	slices.SortStableFunc(out, func(a, b column) int { return strings.Compare(a.name, b.name) })
	return out
}

// sums reports whether the number is a sum, an average, or the difference of two that the sentence names.
func (k *check) sums(cl clause, n number) bool {
	if n.unit == "" && len(k.keyed(cl)) < 2 && !k.says("total", "sum", "together", "average", "mean", "more", "fewer", "less", "difference", "altogether", "combined", "zusammen", "insgesamt") {
		return false
	}
	if rows := k.keyed(cl); len(rows) > 1 {
		sum := 0.0
		for _, r := range rows {
			v, _, _ := cellNumber(r.Cells[1])
			sum += v
		}
		if n.is(sum) {
			k.derive("%g: the sum of the rows that are named", n.value)
			return true
		}
	}
	for _, col := range k.columns(n) {
		sum := 0.0
		for _, v := range col.numbers {
			sum += v
		}
		switch {
		case len(cl.subjects) != 1 && len(k.keyed(cl)) == 0 && n.is(sum):
			k.derive("%g: the sum of %s", n.value, col.name)
			return true
		case k.says("average", "mean", "durchschnitt") && n.is(sum/float64(len(col.numbers))):
			k.derive("%g: the average of %s", n.value, col.name)
			return true
		}
		named := k.namedIn(col)
		if len(named) >= 2 {
			part := 0.0
			for _, v := range named {
				part += v
			}
			if n.is(part) && k.says("together", "total", "combined", "zusammen", "sum") {
				k.derive("%g: the sum of %s of those named", n.value, col.name)
				return true
			}
			if len(named) == 2 && n.is(math.Abs(named[0]-named[1])) && k.says("more", "fewer", "less", "difference", "mehr", "weniger", "than", "als") {
				k.derive("%g = %g − %g", n.value, max(named[0], named[1]), min(named[0], named[1]))
				return true
			}
		}
	}
	return false
}

// namedIn returns a column's numbers of the subjects of the sentence.
func (k *check) namedIn(col column) (out []float64) {
	for i, of := range col.of {
		if slices.ContainsFunc(k.found, func(s subject) bool {
			return s.person != "" && strings.Contains(of, s.person) || s.record != nil && strings.HasPrefix(of, s.record.ID)
		}) {
			out = append(out, col.numbers[i])
		}
	}
	return out
}

// share reports whether a percentage is the share of one count in another.
func (k *check) share(cl clause, n number) bool {
	parts, wholes := k.parts(cl)
	for _, p := range parts {
		for _, w := range wholes {
			if w > 0 && p <= w && n.is(100*p/w) {
				k.derive("%g %% = %g of %g", n.value, p, w)
				return true
			}
		}
	}
	return false
}

// parts returns the counts of which a percentage may be, and the wholes that they may be of.
func (k *check) parts(cl clause) (parts, wholes []float64) {
	all, open := k.s.Total(desk.Ticket)
	for _, t := range mentionsOf(k.computed) {
		if !t.percent {
			parts, wholes = append(parts, t.value), append(wholes, t.value)
		}
	}
	if k.table.Total > 0 {
		parts, wholes = append(parts, float64(k.table.Total)), append(wholes, float64(k.table.Total))
	}
	rows, _ := k.rows(cl)
	for _, r := range rows {
		for _, cell := range r.Cells {
			if v, percent, ok := cellNumber(cell); ok && !percent {
				parts = append(parts, v)
			}
		}
	}
	for _, r := range k.records(cl) {
		for _, f := range k.known(r) {
			switch {
			case f.Field == "tickets":
				wholes = append(wholes, f.Number)
			case f.Type == query.Number && strings.HasPrefix(f.Field, "tickets ") && k.qualified(cl, f.Field):
				parts = append(parts, f.Number)
			}
		}
	}
	for _, col := range k.columns(number{}) {
		sum := 0.0
		for _, v := range col.numbers {
			sum += v
		}
		wholes = append(wholes, sum)
	}
	if k.says("open") {
		wholes = append(wholes, float64(open))
	}
	wholes = append(wholes, float64(all))
	for _, st := range k.states(clause{start: 0, end: len(k.text)}) {
		count := 0.0
		for _, r := range k.base() {
			if is, ok := k.s.Is(r, st.word, k.now); ok && is != st.not {
				count++
			}
		}
		parts = append(parts, count)
	}
	return parts, wholes
}

// ratio reports whether "3 times" is how often one number of the named is in another.
func (k *check) ratio(n number) bool {
	if n.next != "times" && n.next != "mal" {
		return false
	}
	for _, col := range k.columns(number{}) {
		if named := k.namedIn(col); len(named) == 2 && min(named[0], named[1]) > 0 && n.is(max(named[0], named[1])/min(named[0], named[1])) {
			k.derive("%g = %g ÷ %g", n.value, max(named[0], named[1]), min(named[0], named[1]))
			return true
		}
	}
	return false
}

// between reports whether a number of days or weeks lies between two days of the clause's records, or between
// one and today.
func (k *check) between(cl clause, n number) bool {
	per := map[string]float64{"days": 1, "weeks": 7}[n.unit]
	if per == 0 {
		return false
	}
	today := string(desk.DateOf(k.now))
	fields := k.dayField(cl)
	for _, r := range k.records(cl) {
		days := []string{today}
		for _, f := range k.known(r) {
			if (f.Type == query.Day || f.Type == query.Instant) && len(f.Text) >= 10 && (fields == nil || slices.Contains(fields, f.Field)) {
				days = append(days, f.Text[:10])
			}
		}
		for i, a := range days {
			for _, b := range days[i+1:] {
				d := math.Abs(desk.Date(a).Time().Sub(desk.Date(b).Time()).Hours() / 24)
				if n.is(d/per) || per == 7 && math.Floor(d/7) == n.value {
					k.derive("%s between %s and %s", fmt.Sprintf("%g %s", n.value, n.unit), min(a, b), max(a, b))
					return true
				}
			}
		}
	}
	return false
}
