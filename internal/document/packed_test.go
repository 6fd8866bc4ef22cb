package document_test

import "testing"

func TestPacked_LinesThatASpreadsheetPackedAreTakenApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string
		problems   int
	}{
		"a semicolon's spreadsheet": {"Summary,Issue key,Status,Text;;\n\"Refund,A-1,Open,\"\"first, \"\"\"\"quoted\"\"\"\"\";;\n;;\nthen;\" more\"\"\";;\nPay,A-2,Done,x;;\n", "Summary|Issue key|Status|Text\nRefund|A-1|Open|first, \"quoted\"\n\nthen; more\nPay|A-2|Done|x", 1},
		"every line quoted":         {"\"Summary,Issue key,Status\"\n\"Refund,A-1,Open\"\n\"\"\"Pay, now\"\",A-2,Done\"\n", "Summary|Issue key|Status\nRefund|A-1|Open\nPay, now|A-2|Done", 1},
		"semicolons in commas":      {"Summary;Issue key;Status,,\n\"Pay, now;A-2;Done\",,\nRefund;A-1;Open,,\n", "Summary|Issue key|Status\nPay, now|A-2|Done\nRefund|A-1|Open", 1},
		"cells that are quoted":     {"\"Summary\",\"Issue key\",\"Status\"\n\"Pay, now, all\",\"A-2\",\"a;b;c\"\n", "Summary|Issue key|Status\nPay, now, all|A-2|a;b;c", 0},
		"a quoted first cell":       {"Summary,Issue key,Status\n\"Pay, now, all\",A-2,Done\n\"a;b;c\",A-3,Done\n", "Summary|Issue key|Status\nPay, now, all|A-2|Done\na;b;c|A-3|Done", 0},
	} {
		d := read(t, "a.csv", []byte(c.text))
		same(t, name, cells(d.Tables[0]), c.want)
		if len(d.Problems) != c.problems {
			t.Errorf("%s: problems %v", name, d.Problems)
		}
	}
}
