import { expect, test } from 'vitest'
import { leaves, parse } from '../frame/desk'
import { common, inProject } from './layouts'
import { views } from './views'

test('the common layouts lead to views, each in the project', () => {
  for (const { name, address } of common) {
    const desk = parse(inProject(address, 'prj_1'))
    expect(leaves(desk.tree).length, name).toBeGreaterThan(1)
    for (const href of Object.values(desk.hrefs)) {
      const url = new URL(href, 'http://desk')
      expect(views.map((v) => v.to), name).toContain(url.pathname)
      expect(url.searchParams.get('project'), name).toBe('prj_1')
    }
  }
})

test('a pane that names its project keeps it', () => {
  expect(inProject('/today?project=a&panes=r50(.,.)&p1=%2Flog', 'b')).toBe('/today?project=a&panes=r50%28.%2C.%29&p1=%2Flog%3Fproject%3Db')
})
