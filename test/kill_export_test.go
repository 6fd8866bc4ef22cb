package test

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// rowsOfExport are more than are recorded in one transaction.
const rowsOfExport = 260

// changedByExport are tickets that are there before the export, under another title.
const changedByExport = 3

// exportJob is an import that takes several transactions, of which some tickets were there.
func exportJob() job {
	var table strings.Builder
	w := csv.NewWriter(&table)
	_ = w.Write([]string{"Issue key", "Summary", "Status", "Assignee"}) // a builder takes everything
	for i := range rowsOfExport {
		_ = w.Write([]string{fmt.Sprintf("PAY-%d", i), fmt.Sprintf("Row %d of the export", i), "Open", []string{"Femi Ade", "Ana Lima"}[i%2]})
	}
	w.Flush()
	return job{
		begin: func(d *daemon) (string, error) {
			project, err := onlyProject(d)
			if err != nil {
				return "", err
			}
			var there list
			if err := d.try("GET", "/api/projects/"+project+"/tickets", nil, &there); err != nil {
				return "", err
			}
			for i := there.Total; i < changedByExport; i++ {
				err := d.try("POST", "/api/projects/"+project+"/tickets", map[string]any{"title": fmt.Sprintf("Number %d", i), "externalRef": fmt.Sprintf("PAY-%d", i)}, nil)
				if err != nil {
					return "", err
				}
			}
			var r receiptAnswer
			err = d.try("POST", "/api/intake", map[string]any{"projectId": project, "files": []any{map[string]any{"name": "export.csv", "data": []byte(table.String())}}}, &r)
			return r.Run, err
		},
		asks: asksOfAnIntake, again: againOfAnIntake, from: 12, points: passed(36, asksOfAnIntake, 0),
		judge: func(t *testing.T, alive func() *daemon, _ *world) {
			t.Helper()
			d := alive()
			project := projectOf(t, d)
			got := make(map[string]int)
			for _, kind := range []string{"tickets", "resources", "assignments", "reconciliations"} {
				var l list
				d.must(t, "GET", "/api/projects/"+project+"/"+kind, nil, &l)
				got[kind] = l.Total
			}
			var differs struct {
				Items []struct {
					Body struct {
						Mappings []any `json:"mappings"`
					} `json:"body"`
				} `json:"items"`
			}
			d.must(t, "GET", "/api/projects/"+project+"/reconciliations", nil, &differs)
			told := intakeTold(t, d)
			if want := map[string]int{"tickets": rowsOfExport, "resources": 2, "assignments": rowsOfExport, "reconciliations": 1}; !reflect.DeepEqual(got, want) {
				t.Errorf("the records are %v, want %v", got, want)
			}
			if len(differs.Items) == 1 && len(differs.Items[0].Body.Mappings) != changedByExport {
				t.Errorf("the reconciliation tells of %d tickets, want %d", len(differs.Items[0].Body.Mappings), changedByExport)
			}
			want := intakeBody{Created: map[string]int{"ticket": rowsOfExport - changedByExport, "resource": 2}, Changed: map[string]int{"ticket": changedByExport}}
			if !reflect.DeepEqual(told, want) {
				t.Errorf("the intake says %+v, want %+v", told, want)
			}
		},
	}
}

// An intakeBody is what an intake says that it did.
type intakeBody struct {
	Created map[string]int `json:"created"`
	Changed map[string]int `json:"changed"`
}

// intakeTold is what the project's only intake says that it did.
func intakeTold(t *testing.T, d *daemon) intakeBody {
	t.Helper()
	var all struct {
		Items []struct {
			Body intakeBody `json:"body"`
		} `json:"items"`
	}
	d.must(t, "GET", "/api/projects/"+projectOf(t, d)+"/intakes", nil, &all)
	if len(all.Items) != 1 {
		t.Fatalf("%d intakes", len(all.Items))
	}
	return all.Items[0].Body
}

// onlyProject returns the id of the project Payments, and makes it if it is missing.
func onlyProject(d *daemon) (string, error) {
	var all struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := d.try("GET", "/api/projects", nil, &all); err != nil || len(all.Items) > 0 {
		if err != nil {
			return "", err
		}
		return all.Items[0].ID, nil
	}
	var made struct {
		ID string `json:"id"`
	}
	err := d.try("POST", "/api/projects", map[string]string{"name": "Payments"}, &made)
	return made.ID, err
}
