package model

import (
	_ "embed"
	"encoding/json"
	"strings"
	"time"

	"chela/internal/fault"
)

//go:embed prices.json
var pricesJSON []byte

// A Price is what is known of a family of models: limits in tokens, prices in USD
// per million tokens, and how they are asked unless a call says otherwise. Providers'
// price pages of late 2025.
type Price struct {
	Match       string        `json:"match"` // prefix of the model's name
	Context     int           `json:"context"`
	Output      int           `json:"output"`
	In          float64       `json:"in"`
	Out         float64       `json:"out"`
	CacheRead   float64       `json:"cache_read"`
	CacheWrite  float64       `json:"cache_write"`
	Temperature *float64      `json:"temperature,omitempty"` // nil means the model's own
	NoTools     bool          `json:"no_tools,omitempty"`    // it cannot call tools
	Images      bool          `json:"images,omitempty"`      // it sees pictures
	Audio       float64       `json:"audio,omitempty"`       // per million tokens of audio; as in when 0
	Minute      float64       `json:"minute,omitempty"`      // per minute of audio
	Idle        time.Duration `json:"-"`                     // the longest pause in an answer that has begun; 0 means [DefaultIdle]
	Unpriced    bool          `json:"-"`                     // limits are known, prices are not
}

// An Override says what is different of a family of models; what it leaves out stays.
type Override struct {
	Match       string         `yaml:"match"`
	Context     *int           `yaml:"context"`
	Output      *int           `yaml:"output"`
	In          *float64       `yaml:"in"`
	Out         *float64       `yaml:"out"`
	CacheRead   *float64       `yaml:"cache_read"`
	CacheWrite  *float64       `yaml:"cache_write"`
	Audio       *float64       `yaml:"audio"`
	Minute      *float64       `yaml:"minute"`
	Temperature *float64       `yaml:"temperature"`
	Tools       *bool          `yaml:"tools"`
	Images      *bool          `yaml:"images"`
	IdleTimeout *time.Duration `yaml:"idle_timeout"` // the longest pause in an answer that has begun
}

// DefaultIdle is the longest pause in an answer that has begun.
const DefaultIdle = time.Minute

// Check reports the first thing wrong with o.
func (o Override) Check() error {
	for name, v := range map[string]*float64{"in": o.In, "out": o.Out, "cache_read": o.CacheRead, "cache_write": o.CacheWrite, "audio": o.Audio, "minute": o.Minute} {
		if v != nil && *v < 0 {
			return fault.BadField(name, "A price is not below zero.")
		}
	}
	switch {
	case o.Match == "":
		return fault.BadField("match", "Say which models are meant by the beginning of their names, such as llama3.")
	case o.Context != nil && *o.Context < 1 || o.Output != nil && *o.Output < 1:
		return fault.BadField("output", "The limits output and context are at least 1 token.")
	case o.IdleTimeout != nil && *o.IdleTimeout < time.Second:
		return fault.BadField("idle_timeout", "The longest pause in an answer is at least 1s.")
	case o.Temperature != nil && (*o.Temperature < 0 || *o.Temperature > 2):
		return fault.BadField("temperature", "A temperature is from 0 to 2.")
	}
	return nil
}

// over lays o over what is known of a model.
func (o Override) over(p Price, known bool) Price {
	set(&p.Context, o.Context)
	set(&p.Output, o.Output)
	set(&p.In, o.In)
	set(&p.Out, o.Out)
	set(&p.CacheRead, o.CacheRead)
	set(&p.CacheWrite, o.CacheWrite)
	set(&p.Images, o.Images)
	set(&p.Audio, o.Audio)
	set(&p.Minute, o.Minute)
	set(&p.Idle, o.IdleTimeout)
	p.Unpriced = !known && (o.In == nil || o.Out == nil) && o.Minute == nil
	if o.Temperature != nil {
		p.Temperature = o.Temperature
	}
	if o.Tools != nil {
		p.NoTools = !*o.Tools
	}
	return p
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
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

// Charge sets what the answer cost; see [Price.charge].
func (t PriceTable) Charge(a *Answer) {
	p, ok := t.Of(a.Model)
	p.charge(a, ok)
}

// charge sets what the answer cost, as far as its usage says. The cost is not known
// without a price, and when a stream broke, whose usage nobody reports. The adapters
// report cached tokens apart from InputTokens.
func (p Price) charge(a *Answer, known bool) {
	u := a.Usage
	a.CostKnown = known && !p.Unpriced && (p.free() || !a.Resumed && u != Usage{})
	a.CostUSD = (float64(u.InputTokens)*p.In+float64(u.OutputTokens)*p.Out+
		float64(u.CacheReadTokens)*p.CacheRead+float64(u.CacheWriteTokens)*p.CacheWrite)/1e6 + u.Seconds/60*p.Minute
}

func (p Price) free() bool { return p.In == 0 && p.Out == 0 && p.Minute == 0 }

// ofAudio is the price of a call whose tokens of input are audio.
func (p Price) ofAudio() Price {
	if p.Audio > 0 {
		p.In = p.Audio
	}
	return p
}
