import { describe, expect, it } from 'vitest'
import { type Known, suggest } from './command'
import { views } from '../views'

const known: Known = {
  projects: [{ id: 'prj_1', name: 'Payments' }, { id: 'prj_2', name: 'Tidewater' }],
  runs: [{ id: 'run_00000041', title: 'Review the refunds', state: 'running' }, { id: 'run_00000042', title: 'Plan the sprint', state: 'done' }],
  records: [{ id: 'tkt_1', kind: 'ticket', title: 'Retry refunds' }],
  layouts: [{ name: 'Standup', address: '/today?panes=r50(.,.)' }],
}
const first = (text: string) => suggest(text, known)[0]

describe('suggest', () => {
  it('shows every view when nothing is typed', () => expect(suggest('', known).map((s) => s.id)).toEqual(views.map((v) => v.to)))
  it('takes every code, in any case', () => {
    for (const v of views) {
      expect(first(v.code)?.target.to).toBe(v.to)
      expect(first(v.code.toLowerCase())?.target.to).toBe(v.to)
    }
  })
  it('hands what follows a code to its view', () => {
    expect(first('tick status:BLOCKED owner:"Joe"')?.target).toEqual({ to: '/tickets', search: { filter: 'status:BLOCKED owner:"Joe"' } })
    expect(first('FIND refund')?.target).toEqual({ to: '/search', search: { q: 'refund' } })
    expect(first('ask who is free?')?.target.ask).toBe('who is free?')
    expect(first('RUN 41')?.target).toEqual({ to: '/runs/$id', params: { id: 'run_00000041' } })
    expect(first('PROJ tide')?.target.search).toEqual({ project: 'prj_2' })
  })
  it('begins the tour', () => {
    expect(first('tour')?.target.tour).toBe(true)
    expect(suggest('', known).some((s) => s.target.tour)).toBe(false)
  })
  it('finds by name and by what a view is about', () => {
    expect(first('capac')?.target.to).toBe('/people')
    expect(first('approvals')?.target.to).toBe('/approvals')
    expect(suggest('payments', known).some((s) => s.target.search?.project === 'prj_1')).toBe(true)
  })
  it('shows records, and asks as the last resort', () => {
    const lines = suggest('why are refunds late', known)
    expect(lines.some((s) => s.target.params?.id === 'tkt_1')).toBe(true)
    expect(lines.at(-1)?.target.ask).toBe('why are refunds late')
  })
  it('has a different code and key for each view', () => {
    expect(new Set(views.map((v) => v.code)).size).toBe(views.length)
    expect(new Set(views.map((v) => v.key)).size).toBe(views.length)
  })

  it('opens a layout by its code or its name', () => {
    expect(first('lay stand')?.target.layout).toBe('/today?panes=r50(.,.)')
    expect(first('standup')?.target.layout).toBe('/today?panes=r50(.,.)')
  })
})
