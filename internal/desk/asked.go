package desk

// Asked is what questions make of a kind. The zero value of each member holds for kinds that nobody asks so.
type Asked struct {
	Open, Done, Overdue string   // filters
	Day                 string   // the field that "when" asks for
	Who                 string   // the field that "who" asks for
	Of                  string   // the filter of a person's records, with %s for the quoted name
	Titled              bool     // people call its records by their titles
	Columns             []string // what a table of its records shows
	Values              []string // fields whose values people name
	Names               []string // fields that hold names of people
}

// Asked is what questions make of the kind.
func (k Kind) Asked() Asked { return specs[k].asked }
