import { createServer } from 'node:http'

/** call is a tool call as a model writes it. */
export const call = (name, args, id = name) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })

/**
 * startModel starts a model that speaks OpenAI's wire and answers as told: reply takes the
 * request and returns a text, or a list of calls, or a promise of one; what an async
 * generator yields is written as it comes. It prices nothing.
 */
export async function startModel(reply) {
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (d) => {
      body += d
    })
    req.on('end', async () => {
      const asked = JSON.parse(body)
      let answer = await reply(asked)
      if (answer[Symbol.asyncIterator]) {
        res.setHeader('Content-Type', 'text/event-stream')
        res.flushHeaders()
        for await (const content of answer) res.write(`data: ${JSON.stringify({ model: 'fake', choices: [{ delta: { content } }] })}\n\n`)
        answer = ''
      }
      const calls = Array.isArray(answer) ? answer.map((c, index) => ({ index, ...c })) : undefined
      const message = { role: 'assistant', content: calls ? null : answer, ...(calls ? { tool_calls: calls } : {}) }
      const finish = calls ? 'tool_calls' : 'stop'
      const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: Math.ceil(JSON.stringify(answer).length / 4) }
      if (!asked.stream) {
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify({ model: 'fake', choices: [{ message, finish_reason: finish }], usage }))
        return
      }
      if (!res.headersSent) res.setHeader('Content-Type', 'text/event-stream')
      for (const chunk of [{ choices: [{ delta: message }] }, { choices: [{ delta: {}, finish_reason: finish }] }, { choices: [], usage }]) res.write(`data: ${JSON.stringify({ model: 'fake', ...chunk })}\n\n`)
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

/** results are what tools have returned since the last message of a person. */
export function results(asked) {
  const from = asked.messages.findLastIndex((m) => m.role === 'user')
  return asked.messages.slice(from + 1).filter((m) => m.role === 'tool').map((m) => m.content)
}

/** system is what the model is told it is. */
export const system = (asked) => asked.messages.find((m) => m.role === 'system')?.content ?? ''
