package meter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"chela/internal/budget"
	"chela/internal/meter"
	"chela/internal/model"
)

// A purse grants what it has, and notes what comes back.
type purse struct {
	grant    *budget.Grant
	refuses  error
	returned []string
}

func (p *purse) Reserve(context.Context, budget.Call) (*budget.Grant, error) {
	return p.grant, p.refuses
}

func (p *purse) Return(_ context.Context, step string, _ error) error {
	p.returned = append(p.returned, step)
	return nil
}

// answers is a model that notes what it was asked.
type answers struct {
	fails error
	asked []model.Request
	left  time.Duration // until the call would have been cut
}

func (a *answers) Generate(ctx context.Context, r model.Request, _ func(model.Delta)) (model.Answer, error) {
	a.asked = append(a.asked, r)
	if at, ok := ctx.Deadline(); ok {
		a.left = time.Until(at)
	}
	return model.Answer{Text: "Yes."}, a.fails
}

func TestModel_SpendsWhatItIsGranted(t *testing.T) {
	t.Parallel()
	refused, broken := errors.New("no room"), errors.New("broken")
	for name, c := range map[string]struct {
		purse    purse
		fails    error
		want     error
		calls    int
		tokens   int
		atMost   time.Duration
		returned int
	}{
		"nothing limits it":       {calls: 1, atMost: time.Minute},
		"it is narrowed":          {purse: purse{grant: &budget.Grant{Out: 100, Time: time.Second}}, calls: 1, tokens: 100, atMost: time.Second},
		"there is no room":        {purse: purse{refuses: refused}, want: refused},
		"it fails":                {purse: purse{grant: &budget.Grant{Out: 100}}, fails: broken, want: broken, calls: 1, tokens: 100, atMost: time.Minute, returned: 1},
		"it fails and is no cost": {fails: broken, want: broken, calls: 1, atMost: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &answers{fails: c.fails}
			_, err := meter.Model(m, &c.purse, nil, "m0", time.Minute).Generate(t.Context(), model.Request{}, nil)
			if !errors.Is(err, c.want) || len(m.asked) != c.calls {
				t.Fatalf("got %v after %d calls, want %v after %d", err, len(m.asked), c.want, c.calls)
			}
			if c.calls > 0 && (m.asked[0].MaxTokens != c.tokens || m.left <= 0 || m.left > c.atMost) {
				t.Errorf("got %d tokens within %v, want %d within %v", m.asked[0].MaxTokens, m.left, c.tokens, c.atMost)
			}
			if len(c.purse.returned) != c.returned {
				t.Errorf("got %v back, want %d steps", c.purse.returned, c.returned)
			}
		})
	}
}
