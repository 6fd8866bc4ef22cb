// The Agent Client Protocol's own library (@agentclientprotocol/sdk) as an editor that starts `chela acp`, whose daemon answers from the script in acp_test.go.
// node acp.mjs PROGRAM ADDRESS TOKEN FOLDER prints a line for each check, and ends with 1 when one fails.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'

const [program, url, token, folder] = process.argv.slice(2)
const { agent, client: ours } = acp.methods

// editor starts the program, and has do speak with it. The user answers with choice what is asked; heard is what was shown.
async function editor(choice, work) {
  const child = spawn(program, ['acp', '--url', url, '--agent', 'coder'], { env: { ...process.env, CHELA_TOKEN: token }, stdio: ['pipe', 'pipe', 'inherit'] })
  const heard = { updates: [], asked: [], waiters: [] }
  heard.text = () => heard.updates.filter((u) => u.sessionUpdate === 'agent_message_chunk').map((u) => u.content.text).join('')
  heard.said = () => heard.updates.filter((u) => u.sessionUpdate === 'user_message_chunk').map((u) => u.content.text).join('')
  heard.states = () => heard.updates.filter((u) => u.sessionUpdate.startsWith('tool_call')).map((u) => u.status).join()
  heard.until = (fits) => new Promise((done) => { const look = () => fits() && done(); heard.waiters.push(look); look() })
  const app = acp.client({ name: 'editor' })
    .onNotification(ours.session.update, ({ params }) => { heard.updates.push(params.update); heard.waiters.forEach((look) => look()) })
    .onRequest(ours.session.requestPermission, ({ params }) => {
      heard.asked.push(params)
      return { outcome: choice ? { outcome: 'selected', optionId: params.options.find((o) => o.kind === choice).optionId } : { outcome: 'cancelled' } }
    })
    .onRequest(ours.fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, 'utf8') }))
    .onRequest(ours.fs.writeTextFile, ({ params }) => { writeFileSync(params.path, params.content); return {} })
  try {
    await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), async (c) => {
      const hello = await c.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientInfo: { name: 'editor', version: '1' }, clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } } })
      assert.equal(hello.protocolVersion, 1)
      await work(c, heard, hello)
    })
  } finally {
    child.stdin.end()
    assert.equal(await new Promise((done) => child.once('exit', done)), 0, 'the program ends with its input')
  }
}

const begin = async (c) => (await c.request(agent.session.new, { cwd: folder, mcpServers: [] })).sessionId
const say = (c, sessionId, text) => c.request(agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })

const checks = {
  'acp: an answer': () => editor(null, async (c, heard, hello) => {
    assert.deepEqual(hello.agentCapabilities.promptCapabilities, { image: true, embeddedContext: true })
    await c.request(agent.authenticate, { methodId: hello.authMethods[0].id })
    const id = await begin(c)
    await heard.until(() => heard.updates.some((u) => u.sessionUpdate === 'available_commands_update' && u.availableCommands.some((o) => o.name === 'status')))
    assert.equal((await say(c, id, 'How is the budget?')).stopReason, 'end_turn')
    assert.equal(heard.text(), 'The budget is fine.')
  }),
  'acp: an approval': () => editor('allow_once', async (c, heard) => {
    const id = await begin(c)
    assert.equal((await say(c, id, 'Write it.')).stopReason, 'end_turn')
    assert.equal(heard.asked[0].toolCall.kind, 'edit')
    assert.ok(heard.asked[0].toolCall.content.some((o) => o.type === 'diff' && o.newText === 'grün\n'))
    assert.equal(heard.states(), 'pending,in_progress,completed')
  }),
  'acp: a denial': () => editor('reject_once', async (c, heard) => {
    await say(c, await begin(c), 'Write it.')
    assert.equal(heard.states(), 'pending,failed')
  }),
  'acp: cancellation': () => editor(null, async (c, heard) => {
    const id = await begin(c)
    const ended = say(c, id, 'Take your time.')
    await heard.until(() => heard.updates.some((u) => u.sessionUpdate === 'session_info_update'))
    await c.notify(agent.session.cancel, { sessionId: id })
    assert.equal((await ended).stopReason, 'cancelled')
  }),
  'acp: load, list and options': () => editor(null, async (c, heard) => {
    const id = await begin(c)
    await say(c, id, 'How is the budget?')
    heard.updates.length = 0
    const { configOptions } = await c.request(agent.session.load, { sessionId: id, cwd: folder, mcpServers: [] })
    assert.equal(heard.said() + heard.text(), 'How is the budget?The budget is fine.')
    assert.equal(configOptions.find((o) => o.id === 'agent').currentValue, 'coder')
    const chosen = await c.request(agent.session.setConfigOption, { sessionId: id, configId: 'agent', value: 'pm' })
    assert.equal(chosen.configOptions.find((o) => o.id === 'agent').currentValue, 'pm')
    assert.ok((await c.request(agent.session.list, {})).sessions.some((s) => s.sessionId === id && s.title === 'How is the budget?'))
  }),
  'acp: files of the editor': () => editor('allow_once', async (c, heard) => {
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'old\n')
    await say(c, await begin(c), 'Change my notes.')
    assert.equal(heard.text(), 'Changed.')
    assert.equal(readFileSync(file, 'utf8'), 'new\n')
    assert.equal(heard.asked[0].toolCall.content[0].oldText, 'old\n')
  }),
  'acp: errors': () => editor(null, async (c) => {
    const refused = (code) => (e) => e instanceof acp.RequestError && e.code === code
    await assert.rejects(say(c, 'thr_none', 'x'), refused(-32002))
    await assert.rejects(c.request(agent.session.new, { cwd: 'x', mcpServers: [] }), refused(-32602))
    await assert.rejects(c.request(agent.session.setMode, { sessionId: 'x', modeId: 'x' }), refused(-32601))
    assert.ok(await begin(c))
  }),
}

const ended = await Promise.all(Object.entries(checks).map(async ([name, check]) => {
  const err = await check().then(() => undefined, (e) => e)
  console.log(err ? `FAIL ${name}: ${err.stack}` : `ok   ${name}`)
  return !err
}))
process.exit(ended.every(Boolean) ? 0 : 1)
