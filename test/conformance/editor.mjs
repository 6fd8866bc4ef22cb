// The client library that editors use (@modelcontextprotocol/sdk) edits files of the agent "coder", and answers what its user is asked.
// node editor.mjs ADDRESS TOKEN FOLDER, the agent's folder, prints a line for each check, and ends with 1 when one fails.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [url, token, folder] = process.argv.slice(2)

// editor is a client whose user answers each question the same way; it keeps what was asked.
async function editor(transport, choice, asked) {
  const client = new Client({ name: 'editor', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message)
    return choice ? { action: 'accept', content: { decision: choice } } : { action: 'decline' }
  })
  await client.connect(transport)
  return client
}

const as = { requestInit: { headers: { Authorization: `Bearer ${token}` } } }
const http = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp?agent=coder`), as)
const sse = () => new SSEClientTransport(new URL(`${url}/mcp/sse?agent=coder`), as)

// edits has a client edit a file, and looks at what became of it.
async function edits(name, transport, choice) {
  const file = `${name.replaceAll(/\W/g, '')}.txt`
  writeFileSync(join(folder, file), 'a slow loop\n')
  const asked = []
  const client = await editor(transport, choice, asked)
  assert.ok((await client.listTools()).tools.some((t) => t.name === 'edit_file'))
  const got = await client.callTool({ name: 'edit_file', arguments: { path: file, old_text: 'slow', new_text: 'fast' } })
  await client.close()
  assert.equal(asked.length, 1)
  assert.ok(asked[0].includes('+a fast loop') && asked[0].includes(file), asked[0])
  assert.equal(readFileSync(join(folder, file), 'utf8'), choice === 'approve' ? 'a fast loop\n' : 'a slow loop\n')
  assert.equal(Boolean(got.isError), choice !== 'approve', JSON.stringify(got))
}

const checks = {
  'http: approved': () => edits('http approved', http(), 'approve'),
  'http: denied': () => edits('http denied', http(), 'deny'),
  'http: declined': () => edits('http declined', http()),
  'sse: approved': () => edits('sse approved', sse(), 'approve'),
  'sse: denied': () => edits('sse denied', sse(), 'deny'),
}

const ended = await Promise.all(Object.entries(checks).map(async ([name, check]) => {
  const err = await check().then(() => undefined, (e) => e)
  console.log(err ? `FAIL ${name}: ${err.stack}` : `ok   ${name}`)
  return !err
}))
process.exit(ended.every(Boolean) ? 0 : 1)
