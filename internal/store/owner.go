package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/desk"
)

// insertNamed is as insertOwned with who has the record, who is known.
var insertNamed = func() string { //nolint:gochecknoglobals // a statement
	out := strings.Replace(insertList, ") VALUES (", ", "+desk.OwnerColumn+") VALUES (?, ", 1)
	return out + ", " + desk.OwnerColumn + " = excluded." + desk.OwnerColumn
}()

// share keeps who has a ticket that the transaction makes.
func (tx *Tx) share(ticket string, resources ...string) {
	if tx.shares == nil {
		tx.shares = make(map[string][]string)
	}
	tx.shares[ticket] = append(tx.shares[ticket], resources...)
}

// nameOwners puts into the many narrow rows that wait who has the records, where the transaction made them and one person has each,
// or nobody: the people are read at once. Any other is looked up by the statement that writes its row.
func (tx *Tx) nameOwners() error {
	if len(tx.rowOf) < fewGathered {
		return nil
	}
	names := make(map[string]any)
	known := func(id string) (resource string, ok bool) {
		has := tx.shares[id]
		if _, made := tx.made[id]; !made || tx.rowOf[id].SQL != insertOwned || len(has) > 1 {
			return "", false
		}
		return strings.Join(has, ""), true
	}
	for id := range tx.rowOf {
		if resource, ok := known(id); ok && resource != "" {
			names[resource] = nil
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(names)), maxRows) {
		rows, err := tx.query("SELECT id, identity FROM desk_records WHERE deleted = 0 AND id IN ("+marks(len(some))+")", anys(some)...)
		if err != nil {
			return fmt.Errorf("read who has records: %w", err)
		}
		err = each(rows, func(scan func(...any) error) error {
			var id, name string
			err := scan(&id, &name)
			names[id] = name
			return err
		})
		if err != nil {
			return fmt.Errorf("read who has records: %w", err)
		}
	}
	for id, s := range tx.rowOf {
		if resource, ok := known(id); ok {
			args := slices.Clone(s.Args)
			args[len(args)-1] = names[resource]
			tx.rowOf[id] = Statement{insertNamed, args}
		}
	}
	return nil
}
