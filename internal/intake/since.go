package intake

import (
	"time"

	"chela/internal/document"
	"chela/internal/extract"
)

// since tells from which day words such as "tomorrow" in the cells of a table are counted: the day that the file tells of
// itself, above the table, in its text, in the name of the sheet or of the file, or else that of the intake.
func since(s source, t document.Table, taken time.Time) extract.Since {
	return func() (time.Time, string) {
		if day, ok := extract.ExportDay(t.Above); ok {
			return day, "the day above the table"
		}
		if s.Text != "" {
			if day := extract.ReadMinutes(s.Text).Date; !day.IsZero() {
				return day, "the day in the text beside the table"
			}
		}
		if day, ok := extract.NamedDay(t.Sheet); ok {
			return day, "the day in the name of the sheet"
		}
		if day, ok := extract.NamedDay(s.doc.Name); ok {
			return day, "the day in the name of the file"
		}
		taken = taken.UTC()
		return time.Date(taken.Year(), taken.Month(), taken.Day(), 0, 0, 0, 0, time.UTC), "the day of the import, for the file tells none"
	}
}
