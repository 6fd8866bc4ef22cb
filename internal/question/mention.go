package question

// mentioned reports whether a question asks which records have a word, by "mention" or "the word" before it: that none has it is an answer.
func (r *reader) mentioned(word string) bool {
	kind, said := r.kind()
	topics := r.all("topic")
	if !said || fieldOf(kind, "skills") != "" || len(topics) == 0 {
		return false
	}
	topic := topics[len(topics)-1]
	if !r.marked("mentions", topic.at) && !r.marked("mentions", topic.at+topic.n-1) {
		return false
	}
	for i := range r.items {
		it := &r.items[i]
		if it.at < topic.at+topic.n {
			continue
		}
		if it.sort != "word" && it.sort != "or" && it.sort != "stop" && it.sort != "not" {
			return false
		}
		if it.sort == "word" && r.tokens[it.at].text == word {
			return true
		}
	}
	return false
}
