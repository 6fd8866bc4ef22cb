package extract

import (
	"fmt"
	"slices"
	"strings"
)

// totalWords are titles of rows that sum up the rows above.
var totalWords = list("total, totals, grand total, overall total, sum, subtotal, sub-total, sub total, gesamt, gesamtsumme, summe, zwischensumme, insgesamt, total général, sous-total, total general, suma, razem, totale, totaal, subtotaal, 合計, 小計, 总计, 合计, итого, всего")

// totals are the rows of a table that sum up others: they are no tickets.
type totals struct{ n, first int }

// add takes the row when it is a total: the only words in it are a total's, and it has numbers besides, but no key.
func (s *totals) add(row Row, columns layout) bool {
	title, numbers := false, 0
	for i, c := range row.Cells {
		c = plainCell(c)
		switch {
		case blank(c):
		case slices.Contains(columns["key"], i) && !isTotal(c):
			return false
		case isTotal(c):
			title = true
		case isAmount(c):
			numbers++
		default:
			return false
		}
	}
	if !title || numbers == 0 {
		return false
	}
	if s.n++; s.n == 1 {
		s.first = row.Line
	}
	return true
}

func isTotal(cell string) bool {
	return slices.Contains(totalWords, strings.TrimRight(folded(cell), " :=.∑Σ"))
}

// isAmount reports a number as sheets show it: "12", "1,234.50", "45 %", "−3".
func isAmount(cell string) bool {
	plain := strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", "", ".", "", "'", "", "%", "", "€", "", "$", "", "−", "-").Replace(cell)
	return isNumber(plain) && strings.Trim(plain, "-0123456789") == ""
}

func (s *totals) problems() []string {
	switch s.n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("line %d: the row sums up others and was left out.", s.first)}
	}
	return []string{fmt.Sprintf("line %d: %d rows sum up others and were left out, the first at line %d.", s.first, s.n, s.first)}
}
