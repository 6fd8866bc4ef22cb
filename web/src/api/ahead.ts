/** soon is how long after the page began an answer that came with it counts, in milliseconds. */
const soon = 5_000

/** answers are those that came with the page, by the address of the question; see public/ahead.json. */
const answers = new Map<string | undefined, string>()
for (const s of document.querySelectorAll<HTMLScriptElement>('script[data-ahead]')) {
  answers.set(s.dataset.ahead, s.text)
  s.remove()
}
let given = false

/** forget drops them, because something has changed since; it says whether one may just be taken in. */
export function forget(): boolean {
  answers.clear()
  const was = given && performance.now() < soon
  given = false
  return was
}

/** ahead is the answer to a question that came with the page. It is given once: who asks again wants to know anew. */
export function ahead(question: Request): Response | undefined {
  if (question.method !== 'GET' || performance.now() > soon) answers.clear()
  const address = question.url.slice(location.origin.length)
  const answer = answers.get(address)
  if (answer === undefined) return undefined
  answers.delete(address)
  given = true
  return new Response(answer, { headers: { 'Content-Type': 'application/json' } })
}
