package model

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed prices.json
var pricesJSON []byte

// A Price is what is known of a family of models: limits in tokens, prices in USD
// per million tokens. Providers' price pages of late 2025.
type Price struct {
	Match      string  `json:"match"` // prefix of the model's name
	Context    int     `json:"context"`
	Output     int     `json:"output"`
	In         float64 `json:"in"`
	Out        float64 `json:"out"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// A PriceTable finds prices; the first match wins.
type PriceTable []Price

// Prices returns our own table behind the overrides.
func Prices(overrides ...Price) PriceTable {
	var own []Price
	if err := json.Unmarshal(pricesJSON, &own); err != nil {
		panic("model: prices.json: " + err.Error()) // embedded, and tested
	}
	return append(append(PriceTable(nil), overrides...), own...)
}

// Of returns the price of a model; vendors' prefixes such as "anthropic/" do not
// matter.
func (t PriceTable) Of(name string) (Price, bool) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, p := range t {
		if strings.HasPrefix(name, p.Match) {
			return p, true
		}
	}
	return Price{}, false
}

// Charge sets what the answer cost, as far as its usage says. The cost is not known
// without a price, and when a stream broke, whose usage nobody reports. The adapters
// report cached tokens apart from InputTokens.
func (t PriceTable) Charge(a *Answer) {
	p, ok := t.Of(a.Model)
	u := a.Usage
	a.CostKnown = ok && (p.free() || !a.Resumed && u != Usage{})
	a.CostUSD = (float64(u.InputTokens)*p.In + float64(u.OutputTokens)*p.Out +
		float64(u.CacheReadTokens)*p.CacheRead + float64(u.CacheWriteTokens)*p.CacheWrite) / 1e6
}

func (p Price) free() bool { return p.In == 0 && p.Out == 0 }
