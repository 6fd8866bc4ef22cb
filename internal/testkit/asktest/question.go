package asktest

// A Question is what somebody asks the desk, with the answer that is right.
type Question struct {
	Family   string `json:"family"`   // what is asked for: count, list, group …
	Language string `json:"language"` // en, de
	Text     string `json:"question"`

	Says    []string `json:"says,omitempty"`    // what the sentence or the table says
	Cites   []string `json:"cites,omitempty"`   // records by key or title
	Only    bool     `json:"only,omitempty"`    // the answer cites no other record
	Nothing bool     `json:"nothing,omitempty"` // the answer says that there is none
	Search  bool     `json:"search,omitempty"`  // the answer says that it is a search; the first five sources hold Cites
	Unknown string   `json:"unknown,omitempty"` // the answer says that this is not known, or that it is a search
	Ignores string   `json:"ignores,omitempty"` // the answer names these words as not taken into account
}

// Questions returns the suite.
func Questions() ([]Question, error) { return read[[]Question]("questions.json") }

// Later returns questions that were written after the grammar and before it was first asked them. It
// answered 62 of the 77 right then, and 9 wrong without a mark.
func Later() ([]Question, error) { return read[[]Question]("later.json") }

// Closed returns questions about when tickets were closed, to be asked of [ClosedHere].
func Closed() ([]Question, error) { return read[[]Question]("closed.json") }

// Negated returns questions with a negation, an "or", a length of time, a range, a superlative or a sprint, to be asked of
// [Imported]. The grammar before answered 6 of the first 81 right, and 56 wrong without a mark. The 30 of the family
// later, were written after the grammar that reads them and before it was first asked them. It answered 21 of them right
// then, and none wrong without a mark. The 25 of the family parts, of types that an "or" joins, labels, counts of what a record has,
// signs and fractions, 4 were answered right by the grammar before, and 18 wrong without a mark.
func Negated() ([]Question, error) { return read[[]Question]("negations.json") }

// Meetings returns questions about who was at meetings, what the first and the last one said, what somebody said, and days with points and slashes. The
// grammar before answered 3 of the first 23 right.
func Meetings() ([]Question, error) { return read[[]Question]("meetings.json") }

// Managers returns questions of a manager that a first run of fresh ones answered with a search, or wrongly: thresholds, days of records, sprints,
// minutes without somebody, items of checklists. They are about the desk of [Planned].
func Managers() ([]Question, error) { return read[[]Question]("managers.json") }
