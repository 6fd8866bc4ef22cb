let question = ''

/** askAtOnce has the view Ask put a question when it is next shown. A link that is opened has its question computed, and asks no model. */
export function askAtOnce(q: string) {
  question = q
}

/** takeQuestion returns the question that is to be asked at once, one time. */
export function takeQuestion(): string {
  const q = question
  question = ''
  return q
}
