/** Look is how a kind of step is drawn, and what one is for. */
type Look = { sign: string; colour: string; is: string }

/** kinds are the kinds of steps. */
export const kinds: { [kind: string]: Look } = {
  agent: { sign: '▣', colour: 'text-agent', is: 'A task for an agent' },
  tool: { sign: '⚒', colour: 'text-link', is: 'A call of a tool' },
  model: { sign: '◆', colour: 'text-agent', is: 'A question to a model' },
  rule: { sign: '≡', colour: 'text-accent', is: 'A table of decisions' },
  branch: { sign: '◇', colour: 'text-accent', is: 'The first case that holds leads on' },
  loop: { sign: '↻', colour: 'text-accent', is: 'Steps that are done again' },
  map: { sign: '∷', colour: 'text-accent', is: 'Steps for each item of a list' },
  wait: { sign: '‖', colour: 'text-person', is: 'A wait for a time, a person or an event' },
  workflow: { sign: '▤', colour: 'text-link', is: 'Another workflow' },
  transform: { sign: 'ƒ', colour: 'text-muted', is: 'A value that is computed' },
}

/** kindOf is how a kind is drawn, also one that this page does not know. */
export const kindOf = (kind: string): Look => kinds[kind] ?? { sign: '?', colour: 'text-muted', is: kind }
