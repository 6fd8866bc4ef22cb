package clerk

import (
	"encoding/json"
	"fmt"
	"strconv"

	"chela/internal/desk"
	"chela/internal/fault"
)

// Side is one of the two sides of a delta.
type Side string

// The sides.
const (
	SideA Side = "A"
	SideB Side = "B"
)

// A Verdict is what somebody makes of a delta.
type Verdict struct {
	Decision desk.Ruling
	Take     Side   // when accepted: whose value the other side takes over
	Value    string // when accepted: what the suggestion needs, such as a new date
	Only     bool   // when accepted: no record is changed
}

// Decide plans that the delta at a place of a pack is accepted or dismissed. Where a side is
// taken, the record that is the other side's source takes over its value, if it still says
// what the delta says it does; else what the delta suggests is done, as far as it can be.
func (w *Work) Decide(pack string, at int, v Verdict) (desk.Record, error) {
	r, err := w.Get(desk.DeltaPack, pack)
	if err != nil {
		return r, err
	}
	b, err := desk.Open[desk.DeltaPackBody](r)
	if err != nil {
		return r, err
	}
	if at < 0 || at >= len(b.Deltas) {
		return r, fault.BadField("delta", fmt.Sprintf("The delta pack %s has %d deltas, counted from 0.", pack, len(b.Deltas)))
	}
	d := b.Deltas[at]
	switch {
	case (v.Take != "" || v.Value != "" || v.Only) && v.Decision != desk.Accepted:
		return r, fault.BadField("take", "Only a delta that is accepted changes a record.")
	case v.Only && (v.Take != "" || v.Value != ""):
		return r, fault.BadField("only", "A delta that is accepted without a change takes no side and no value.")
	case b.Status == desk.PackSuperseded:
		return r, fault.New(fault.Conflict, "The delta pack %s was superseded; decide in the newest one.", pack)
	case !d.Decision.CanBecome(v.Decision):
		return r, fault.New(fault.Conflict, "%q was %s already, by %s.", d.Title, d.Decision, d.DecidedBy)
	}
	d.Decision, d.DecidedBy, d.DecidedAt = v.Decision, w.at.From.AgentID, desk.DateOf(w.Now())
	if v.Decision == desk.Accepted && !v.Only {
		defer w.taking(r)()
		if v.Take != "" && d.Type != desk.AbsenceSaid { // which is added to what is there
			d.Changed, err = w.takeOver(d, v.Take)
		} else {
			d.Changed, err = w.accept(d, v)
		}
		if err != nil {
			return r, err
		}
	}
	return Edit(w, desk.DeltaPack, pack, func(b *desk.DeltaPackBody) { b.Deltas[at] = d })
}

// takeOver plans that the record of the side that is not taken says what the other one
// says, and returns its id.
func (w *Work) takeOver(d desk.Delta, take Side) (string, error) {
	target, says, value := d.SourceB, d.ValueB, d.ValueA
	if take == SideB {
		target, says, value = d.SourceA, d.ValueA, d.ValueB
	}
	if d.Field == "" || value == "" {
		return "", fault.BadField("take", fmt.Sprintf("%q does not say which value of which field to take over. Change the record, and accept the delta without a side.", d.Title))
	}
	r, err := w.store.Record(w.ctx, target)
	if fault.KindOf(err) == fault.NotFound {
		return "", fault.BadField("take", fmt.Sprintf("The other side of %q is %q, which is no record here. Change it where it is, and accept the delta without a side.", d.Title, target))
	}
	if err != nil {
		return "", err
	}
	if r, err = w.Get(r.Kind, target); err != nil {
		return "", err
	}
	now, number, err := w.saysNow(r, d.Field)
	if err != nil {
		return "", err
	}
	if now != says {
		return "", fault.New(fault.Conflict, "The %s of the %s %s is %q now, and was %q when the delta was found. Look at it, and accept the delta without a side.", d.Field, r.Kind.Word(), target, now, says)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("encode the %s of %s: %w", d.Field, target, err)
	}
	if _, wrong := strconv.ParseFloat(value, 64); number && wrong == nil {
		raw = []byte(value)
	}
	set := map[string]json.RawMessage{d.Field: raw}
	if d.Type == "STATUS_MISMATCH" && r.Kind.Owned() && value == string(desk.Closed) { // the minutes say that it is cancelled
		set["outcome"] = json.RawMessage(strconv.Quote(string(desk.WontFix)))
	}
	patch, err := json.Marshal(set)
	if err != nil {
		return "", fmt.Errorf("encode the %s of %s: %w", d.Field, target, err)
	}
	_, err = w.Patch(r.Kind, target, patch)
	return target, err
}

// saysNow returns what a field of a record says, as deltas write it, and whether that is a
// number. A field without a value is empty.
func (w *Work) saysNow(r desk.Record, field string) (text string, number bool, err error) {
	if r.Kind.Owned() && field == "owner" {
		owners, err := Owners(w.ctx, w.store, w.project, []desk.Record{r})
		if o := owners[r.ID]; err != nil || len(o.Names) > 0 {
			return o.Line(), false, err
		}
		return "", false, nil
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return "", false, fmt.Errorf("read %s: %w", r.ID, err)
	}
	raw := body[field]
	if raw == nil || json.Unmarshal(raw, &text) == nil {
		return text, false, nil
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String(), true, nil
	}
	return string(raw), false, nil
}
