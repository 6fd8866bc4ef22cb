package clerk

import (
	"fmt"

	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/fault"
)

// settled has the rules of a record's kind say what follows from its change, and reports whether anything does.
func (w *Work) settled(r desk.Record, next desk.Thing) (bool, error) {
	before, err := desk.Decode(r)
	if err != nil {
		return false, err
	}
	was := len(desk.Terms(before))
	changed, err := desk.Settle(before, next, w.actor())
	if err != nil || was == 0 && len(desk.Terms(next)) == 0 {
		return changed, err
	}
	return changed, readable(next)
}

// promised is settled of a new record.
func (w *Work) promised(next desk.Thing) error {
	if _, err := desk.Settle(nil, next, w.actor()); err != nil {
		return err
	}
	return readable(next)
}

// readable reports a term of a contract whose expressions cannot be computed.
func readable(t desk.Thing) error {
	for i, term := range desk.Terms(t) {
		if _, err := definition.CompileTerm(contract.ConditionOf(term)); err != nil {
			return fault.BadField(fmt.Sprintf("contract[%d]", i), err.Error())
		}
	}
	return nil
}
