import { describe, expect, it } from 'vitest'
import { boxes, closed, type Desk, followed, format, grown, leaves, most, opened, parse, picked, shared, shownBeside, stepped, toggled, went } from './desk'

const two = () => opened(parse('/tickets?project=p1'), '/people?project=p1', 'row')
const where = (d: Desk) => leaves(d.tree).map((p) => d.hrefs[p])

it('knows another name of a view', () => {
  expect([format(parse('/intake?project=p1')), format(parse('/today?panes=r50(.,.)&p1=%2Fintake%3Fproject%3Dp2'))]).toEqual(['/?project=p1', expect.stringContaining('p1=%2F%3Fproject%3Dp2')])
})

describe('the address', () => {
  it('of one pane is the pane’s own', () => {
    expect(format(parse('/tickets?project=p1&filter=owner%3A%22Joe%22'))).toBe('/tickets?project=p1&filter=owner%3A%22Joe%22')
  })
  it('of several keeps their places, shares, focus and links', () => {
    const d = shared(opened(two(), '/records/x?project=p1', 'col'), '', 60)
    const again = parse(format(d), leaves(d.tree))
    expect(again).toEqual({ ...d, linked: [...d.linked].sort() })
    expect(where(again)).toEqual(['/tickets?project=p1', '/people?project=p1', '/records/x?project=p1'])
  })
  it('of nonsense is one pane', () => {
    for (const panes of ['', '(', 'r', 'r50', 'r50(', 'r50(.', 'r50(.,', 'r50(.,.', 'r50(.,.)x', 'x50(.,.)', 'r500(.,.)', 'r50(,)', '..']) {
      expect(leaves(parse(`/log?panes=${encodeURIComponent(panes)}&p1=/x`).tree), panes).toHaveLength(1)
    }
    expect(where(parse('//elsewhere/x'))).toEqual(['/'])
    expect(where(parse('/log?panes=r50(.,.)&p1=//elsewhere/x'))).toEqual(['/log', '/'])
    expect(where(parse('/log?panes=r50(.,.)&p1=javascript:alert(1)'))).toEqual(['/log', '/'])
  })
  it('is read and written again as it was, whatever it is', () => {
    let seed = 7
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * n)
    }
    const bits = ['r50(', 'c1', '.', ',', ')', '&', '=', 'p1', 'at', '?', '/', 'panes', '%', 'link', '0.1', 'whole=1', '&panes=r50(.,.)', '&p1=/x']
    for (let i = 0; i < 3_000; i++) {
      const href = `/${Array.from({ length: random(12) }, () => bits[random(bits.length)]).join('')}`
      const d = parse(href)
      expect(leaves(d.tree)).toContain(d.at)
      expect(Object.keys(d.hrefs).sort(), href).toEqual(leaves(d.tree).sort())
      expect(format(parse(format(d))), href).toBe(format(d))
    }
  })
})

describe('panes', () => {
  it('are opened up to a number, and the last one stays', () => {
    let d = parse('/log')
    for (let i = 0; i < 12; i++) d = opened(d, '/runs', i % 2 ? 'row' : 'col')
    expect(leaves(d.tree)).toHaveLength(most)
    for (let i = 0; i < 12; i++) d = closed(d, d.at)
    expect(where(d)).toEqual(['/log'])
    expect(d.linked).toEqual([])
  })
  it('show something beside, in the pane that shows such a thing already', () => {
    const d = shownBeside(parse('/tickets?project=p'), '0', '/records/a')
    expect([where(d), d.at]).toEqual([['/tickets?project=p', '/records/a'], '0'])
    expect(where(shownBeside(d, '0', '/records/b'))).toEqual(['/tickets?project=p', '/records/b'])
    expect(where(shownBeside(toggled(d, '1'), '0', '/records/b'))).toEqual(['/tickets?project=p', '/records/b', '/records/a'])
  })
  it('give the focus to a neighbour when they are closed', () => {
    const d = opened(two(), '/runs', 'col')
    expect(where(closed(d, d.at))).toEqual(['/tickets?project=p1', '/people?project=p1'])
    const first = stepped(d, 1) // round to the first
    expect(first.hrefs[first.at]).toBe('/tickets?project=p1')
    const gone = closed(first, first.at)
    expect(gone.hrefs[gone.at]).toBe('/people?project=p1')
  })
  it('grow at the cost of their neighbour, within bounds', () => {
    const d = grown(two(), 15)
    expect(d.tree).toMatchObject({ share: 35 })
    expect(grown(grown(d, 90), 90).tree).toMatchObject({ share: 10 })
    expect(grown(stepped(d, 1), 5).tree).toMatchObject({ share: 40 })
  })
})

describe('boxes', () => {
  it('fill the window without a gap', () => {
    const d = shared(opened(two(), '/runs', 'col'), '', 60)
    const { panes, borders } = boxes(d.tree)
    expect(panes).toEqual({ 0: { x: 0, y: 0, w: 60, h: 100 }, 1: { x: 60, y: 0, w: 40, h: 50 }, 2: { x: 60, y: 50, w: 40, h: 50 } })
    expect(borders.map((b) => [b.place, b.way, b.box.x])).toEqual([['', 'row', 0], ['1', 'col', 60]])
  })
})

describe('linked panes', () => {
  it('follow a person, a record, a run and a sprint', () => {
    const joe = { kind: 'person', id: 'res_1', name: 'Joe "J" M' } as const
    expect(new URL(followed('/tickets?filter=status%3AOPEN+owner%3A%22Ann%22', joe), 'http://x').searchParams.get('filter')).toBe('status:OPEN owner:"Joe J M"')
    expect(followed('/people?project=p', joe)).toBe('/people?project=p&person=res_1')
    expect(followed('/records/tkt_1?project=p', joe)).toBe('/records/res_1?project=p')
    expect(followed('/records/tkt_1', { kind: 'record', id: 'tkt_2' })).toBe('/records/tkt_2')
    expect(followed('/runs/run_1', { kind: 'run', id: 'run_2' })).toBe('/runs/run_2')
    expect(followed('/sprint', { kind: 'sprint', name: 'S 1' })).toBe('/sprint?sprint=S+1')
    expect(followed('/today?project=p', joe)).toBe('/today?project=p')
  })
  it('share the project and the moment; one that is let go does not', () => {
    const d = two()
    expect(where(went(d, '0', '/tickets?project=p2&asOf=m'))).toEqual(['/tickets?project=p2&asOf=m', '/people?project=p2&asOf=m'])
    expect(where(went(toggled(d, '1'), '0', '/tickets?project=p2'))).toEqual(['/tickets?project=p2', '/people?project=p1'])
    const back = went(went(d, '0', '/tickets?project=p1&asOf=m'), '0', '/tickets?project=p1')
    expect(where(back)).toEqual(['/tickets?project=p1', '/people?project=p1'])
  })
  it('do not follow what is chosen in one that is let go', () => {
    const d = picked(toggled(two(), '0'), '0', { kind: 'person', id: 'res_1', name: 'Joe' })
    expect(where(d)).toEqual(['/tickets?project=p1', '/people?project=p1'])
    expect(where(picked(two(), '0', { kind: 'person', id: 'res_1', name: 'Joe' }))[1]).toBe('/people?project=p1&person=res_1')
  })
})
