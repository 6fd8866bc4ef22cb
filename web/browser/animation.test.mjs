// The animation of the README is one PNG of the right parts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { animated, chunks } from '../bench/apng.mjs'

const still = readFileSync(join(import.meta.dirname, '../../docs/cockpit.png'))

test('pictures become frames in their order, each with its time', () => {
  const bytes = animated([{ png: still, ms: 500 }, { png: still, ms: 1500 }])
  const all = chunks(bytes)
  assert.deepEqual(all.map((c) => c.type), ['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND'])
  assert.equal(all[1].data.readUInt32BE(0), 2)
  assert.deepEqual(all.filter((c) => c.type === 'fcTL').map((c) => c.data.readUInt16BE(20)), [500, 1500])
  assert.deepEqual([all[2], all[4], all[5]].map((c) => c.data.readUInt32BE(0)), [0, 1, 2])
  assert.ok(all[5].data.subarray(4).equals(all[3].data))
})

test('what is no PNG is refused', () => assert.throws(() => chunks(Buffer.from('GIF89a..')), /no PNG/))

test('the README shows an animation of less than a megabyte', () => {
  const parts = chunks(still)
  assert.equal(parts[1].type, 'acTL')
  assert.ok(parts[1].data.readUInt32BE(0) >= 6)
  assert.ok(still.length < 1_000_000)
})
