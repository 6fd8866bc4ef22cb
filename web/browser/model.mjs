import { createServer } from 'node:http'

/**
 * startModel starts a model that answers over the wire of OpenAI what answer makes of a request: a
 * text, a list of texts that come one after the other (a promise in it is waited for), or tool calls
 * [{name, args}].
 */
export async function startModel(answer) {
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (d) => {
      body += d
    })
    req.on('end', async () => {
      const asked = JSON.parse(body)
      const said = asked.messages.filter((m) => m.role === 'user').at(-1)?.content ?? ''
      const text = typeof said === 'string' ? said : said.filter((p) => p.type === 'text').map((p) => p.text).join('\n')
      const since = asked.messages.slice(asked.messages.findLastIndex((m) => m.role === 'user') + 1)
      const out = await answer({ text, results: since.filter((m) => m.role === 'tool').map((m) => m.content), ...asked })
      const calls = Array.isArray(out) && out[0]?.name ? out.map((c, i) => ({ index: i, id: `c${i}`, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.args) } })) : undefined
      const parts = calls ? [] : [out].flat()
      if (!asked.stream) {
        const message = calls ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: (await Promise.all(parts)).filter((p) => typeof p === 'string').join('') }
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify({ model: 'fake', choices: [{ message, finish_reason: calls ? 'tool_calls' : 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1 } }))
        return
      }
      res.setHeader('Content-Type', 'text/event-stream')
      const send = (choice) => res.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`)
      if (calls) send({ delta: { role: 'assistant', tool_calls: calls } })
      for (const p of parts) {
        const content = await p
        if (typeof content === 'string') send({ delta: { content } })
      }
      send({ delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' })
      res.end('data: [DONE]\n\n')
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`, OPENAI_MODEL: 'fake' },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
