import { expect, test } from 'vitest'
import { leaves, parse } from '../frame/desk'
import { common, addressIn } from './layouts'
import { views } from '../views'

test('the common layouts lead to views, each in the project', () => {
  for (const { name, address } of common) {
    const desk = parse(addressIn(address, 'prj_1'))
    expect(leaves(desk.tree).length, name).toBeGreaterThan(1)
    for (const href of Object.values(desk.hrefs)) {
      const url = new URL(href, 'http://desk')
      expect(views.map((v) => v.to), name).toContain(url.pathname)
      expect(url.searchParams.get('project'), name).toBe('prj_1')
    }
  }
})

test('a pane that names its project keeps it, others are in the first’s', () => {
  expect(addressIn('/today?project=a&panes=r50(.,.)', 'b')).toBe('/today?project=a&panes=r50(.,.)')
  const desk = parse('/today?project=a&panes=r50(.,r50(.,.))&p1=%2Flog&p2=%2Ftickets%3Fproject%3Db')
  expect(Object.values(desk.hrefs)).toEqual(['/today?project=a', '/log?project=a', '/tickets?project=b'])
})
