import { connect, createServer } from 'node:net'

/** startProxy stands between a browser and a daemon: cut ends every connection and refuses new ones until mend. */
export async function startProxy(origin) {
  const port = Number(new URL(origin).port)
  const open = new Set()
  let broken = false
  const server = createServer((near) => {
    if (broken) return near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [a, b] of [[near, far], [far, near]]) {
      open.add(a)
      a.pipe(b)
      a.on('error', () => b.destroy())
      a.on('close', () => {
        open.delete(a)
        b.destroy()
      })
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    cut() {
      broken = true
      for (const s of open) s.destroy()
    },
    mend() {
      broken = false
    },
    stop() {
      for (const s of open) s.destroy()
      server.close()
    },
  }
}
