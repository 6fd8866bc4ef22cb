import { expect, test } from 'vitest'
import { after, type Draft, type DraftNode, ends, findings, free, outline, pasted, stepText } from './drafted'

const node = (path: string, kind: string, step: unknown, more: Partial<DraftNode> = {}): DraftNode => ({ path, id: path.slice(path.lastIndexOf('.') + 1), kind, line: 1, outcomes: [], findings: [], step, ...(path.includes('.') ? { in: path.slice(0, path.lastIndexOf('.')) } : {}), ...more })
const graph: Draft['graph'] = {
  nodes: [
    node('ask', 'wait', { id: 'ask', wait: { person: { ask: 'May it?\nSay.' } } }), node('gate', 'branch', { branch: [{ case: 'go' }, { case: 'hold' }] }, { outcomes: ['go', 'hold'] }),
    node('write', 'agent', { when: 'a', agent: { name: 'pm', task: '' }, review: {}, contract: [{ name: 'long' }, { verdict: true }] }, { title: 'Write', findings: [{ text: 'It has no task.', path: 'agent.task' }] }),
    node('each', 'map', { map: { over: 'write.parts' } }), node('each.half', 'transform', { transform: 1 }),
  ],
  edges: [{ from: 'ask', to: 'gate' }, { from: 'gate', to: 'write', outcome: 'go' }, { from: 'write', to: 'each' }], findings: [],
}

test('the outline of a draft is as that of a version', () => {
  const g = outline(graph)
  expect([...g.steps.values()].map((s) => s.does)).toEqual(['May it?', '2 cases', 'pm', 'each of write.parts', 'a value'])
  expect(g.steps.get('write')).toMatchObject({ title: 'Write', when: 'a', reviewed: true, contract: ['long', 'verdict'], needs: ['gate.go'] })
  expect(g.edges.map((e) => [e.from, e.outcome, e.to])).toEqual([['ask', '', 'gate'], ['gate', 'go', 'write'], ['write', '', 'each']])
  expect(g.steps.get('each.half')?.parent).toBe('each')
  expect(findings(graph)).toEqual({ write: ['It has no task.'] })
})

test('a step is copied as it is written, with its comments, and pasted under an id that is free', () => {
  const source = 'steps:\n  - {id: one, transform: 1}\n  # about two\n  - id: two\n    # why\n    agent:\n      task: |\n        Do it.\n\n        Well.\n  - id: three\n    transform: 3\noutput: 1\n'
  expect(stepText(source, 2)).toBe('{id: one, transform: 1}')
  expect(stepText(source, 4)).toBe('id: two\n# why\nagent:\n  task: |\n    Do it.\n\n    Well.')
  expect(stepText(source, 11)).toBe('id: three\ntransform: 3')
  expect(stepText(source, 1)).toBe('')
  expect(pasted('id: write\nagent: {task: x}', graph, 'ask')).toEqual({ op: 'create_node', yaml: 'id: write\nagent: {task: x}', id: 'write_2', after: 'ask', needs: ['ask'] })
  expect(pasted('Dear all,\nid: none', graph, 'ask')).toBeUndefined()
  expect(free('write_2', { ...graph, nodes: [...graph.nodes, node('write_2', 'agent', {})] })).toBe('write_3')
})

test('what is new follows the chosen step, after a case that leads nowhere yet', () => {
  expect(after(graph, 'gate')).toEqual({ after: 'gate', needs: ['gate.hold'] })
  expect(after(graph, 'each.half')).toEqual({ in: 'each', after: 'half', needs: ['half'] })
  expect(after(graph, '')).toEqual({})
})

test('a step may be connected with those beside it, by each outcome, once', () => {
  const of = (from: string) => ends(graph, from).map((e) => `${e.outcome}>${e.to.id}`)
  expect(of('ask')).toEqual(['>write', '>each', 'error>gate', 'error>write', 'error>each'])
  expect(of('gate')).not.toContain('go>write')
  expect(of('each.half')).toEqual([])
})
