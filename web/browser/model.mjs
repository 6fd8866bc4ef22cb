import { createServer } from 'node:http'

/** call is a tool call as a model writes it. */
export const call = (name, args, id = name) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })

/** results are what tools have returned since the last message of a person. */
export function results(asked) {
  const from = asked.messages.findLastIndex((m) => m.role === 'user')
  return asked.messages.slice(from + 1).filter((m) => m.role === 'tool').map((m) => m.content)
}

/** system is what the model is told it is. */
export const system = (asked) => asked.messages.find((m) => m.role === 'system')?.content ?? ''

/** textOf is what the last message of a person says. */
function textOf(asked) {
  const said = asked.messages.filter((m) => m.role === 'user').at(-1)?.content ?? ''
  return typeof said === 'string' ? said : said.filter((p) => p.type === 'text').map((p) => p.text).join('\n')
}

/**
 * startModel starts a model that speaks OpenAI's wire and answers as told: reply takes the
 * request, with the person's text and the results since, and returns a text, texts that come
 * one after the other (a list, of promises too, or an async generator), or a list of calls;
 * or a promise of one of these. It prices nothing.
 */
export async function startModel(reply) {
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (d) => {
      body += d
    })
    req.on('end', async () => {
      const asked = JSON.parse(body)
      const answer = await reply({ text: textOf(asked), results: results(asked), ...asked })
      const calls = Array.isArray(answer) && answer[0]?.function ? answer.map((c, index) => ({ index, ...c })) : undefined
      const parts = calls ? [] : answer[Symbol.asyncIterator] ? answer : [answer].flat()
      const finish = calls ? 'tool_calls' : 'stop'
      const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: Math.ceil(JSON.stringify(answer).length / 4) }
      if (!asked.stream) {
        let said = ''
        for await (const part of parts) said += part ?? ''
        const message = { role: 'assistant', content: calls ? null : said, ...(calls ? { tool_calls: calls } : {}) }
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify({ model: 'fake', choices: [{ message, finish_reason: finish }], usage }))
        return
      }
      res.setHeader('Content-Type', 'text/event-stream')
      const send = (chunk) => res.write(`data: ${JSON.stringify({ model: 'fake', ...chunk })}\n\n`)
      if (calls) send({ choices: [{ delta: { role: 'assistant', content: null, tool_calls: calls } }] })
      res.flushHeaders()
      for await (const content of parts) if (typeof content === 'string') send({ choices: [{ delta: { content } }] })
      send({ choices: [{ delta: {}, finish_reason: finish }] })
      send({ choices: [], usage })
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
