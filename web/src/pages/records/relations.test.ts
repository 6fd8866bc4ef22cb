import { expect, test } from 'vitest'
import { narrowed, relationsOf } from './relations'

const mention = (id: string, kind: string, ...fields: string[]) => ({ id, kind, title: id, fields })

test('relationsOf says how records stand to one, sub-items first, each once', () => {
  const to = [mention('goal', 'objective', 'objectiveIds'), mention('before', 'ticket', 'blockedBy'), mention('other', 'ticket', 'relatedTo'), mention('file', 'upload', 'sources.artifact')]
  const by = [mention('said', 'comment', 'recordId'), mention('after', 'ticket', 'blockedBy'), mention('child', 'ticket', 'parentTicketId'), mention('other', 'ticket', 'relatedTo'), mention('gap', 'blindspot', 'ticketIds'), mention('odd', 'idea', 'promotedTo')]
  expect(relationsOf(to, by).map((r) => [r.name, r.of.map((m) => m.id)])).toEqual([
    ['Sub-items', ['child']], ['Waits for', ['before']], ['Blocks', ['after']], ['Serves', ['goal']], ['Related', ['other']], ['Named by', ['gap']], ['Referred to by', ['odd']],
  ])
})

test('narrowed takes a key for a key and words for words', () => {
  expect([narrowed('ticket', 'PAY-202'), narrowed('ticket', '202'), narrowed('ticket', '#7')].map((n) => n.filter)).toEqual(['externalRef:~"PAY-202"', 'externalRef:~"202"', 'externalRef:~"#7"'])
  expect([narrowed('ticket', 'retry'), narrowed('ticket', 'PAY-'), narrowed('objective', '202'), narrowed('ticket', '')]).toEqual([{ q: 'retry' }, { q: 'PAY-' }, { q: '202' }, {}])
})
