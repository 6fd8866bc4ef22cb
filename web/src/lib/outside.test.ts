import { expect, test } from 'vitest'
import { addressesIn, outside } from './outside'

test('only the web and mail are opened', () => {
  expect(outside('https://example.com/a b')).toBe('https://example.com/a%20b')
  expect(outside('mailto:ann@example.com')).toBe('mailto:ann@example.com')
  for (const bad of ['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '/login?t=x', '//example.com', 'blob:https://a/b', '', undefined]) {
    expect(outside(bad), String(bad)).toBeUndefined()
  }
})

test('addresses are found in words', () => {
  expect(addressesIn('See https://a.example/x?y=1, or (http://b.example/z).').map((p) => p.address ?? p.text)).toEqual(['See ', 'https://a.example/x?y=1', ', or (', 'http://b.example/z', ').'])
  expect(addressesIn('nothing here')).toEqual([{ text: 'nothing here' }])
})
