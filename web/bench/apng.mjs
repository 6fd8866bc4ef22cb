// Pictures, one after the other, as one animated PNG.
import { crc32 } from 'node:zlib'

const head = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])

/** chunk is a chunk of a PNG: its length, type, bytes and checksum. */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** chunks are those of a PNG. */
export function chunks(png) {
  if (!png.subarray(0, 8).equals(head)) throw new Error('That is no PNG.')
  const all = []
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at)
    all.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + size) })
    at += size + 12
  }
  return all
}

/** animated is one PNG that shows pictures of one size in their order, each for its time in milliseconds, again and again. */
export function animated(frames) {
  const [first] = frames
  const header = chunks(first.png)[0].data
  const numbered = (n, size) => {
    const data = Buffer.alloc(size)
    data.writeUInt32BE(n)
    return data
  }
  const control = Buffer.alloc(8)
  control.writeUInt32BE(frames.length) // and played without an end
  const out = [head, chunk('IHDR', header), chunk('acTL', control)]
  let n = 0
  for (const [i, frame] of frames.entries()) {
    const all = chunks(frame.png)
    if (!all[0].data.equals(header)) throw new Error(`The picture ${i + 1} has another size or other colours than the first.`)
    const fc = numbered(n++, 26)
    header.copy(fc, 4, 0, 8) // width and height, from the corner
    fc.writeUInt16BE(frame.ms, 20)
    fc.writeUInt16BE(1000, 22)
    out.push(chunk('fcTL', fc))
    const bytes = Buffer.concat(all.filter((c) => c.type === 'IDAT').map((c) => c.data))
    out.push(i === 0 ? chunk('IDAT', bytes) : chunk('fdAT', Buffer.concat([numbered(n++, 4), bytes])))
  }
  return Buffer.concat([...out, chunk('IEND', Buffer.alloc(0))])
}
