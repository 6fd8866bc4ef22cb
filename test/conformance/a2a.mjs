// The official SDK of A2A for JavaScript against a daemon whose agents answer from the script in sdks_test.go, over JSON-RPC and HTTP+JSON of
// 1.0, and JSON-RPC of 0.3. node a2a.mjs ADDRESS TOKEN prints a line for each check, and ends with 1 when one fails.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { GetTaskRequest, CancelTaskRequest, ListTasksRequest, SendMessageRequest, Task, TaskState } from '@a2a-js/sdk'
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client'

const [url, token] = process.argv.slice(2)
const fetchImpl = (at, init = {}) => fetch(at, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` } })
const cardResolver = new DefaultAgentCardResolver({ fetchImpl })
const client = (transport) => new ClientFactory({ transports: [transport], cardResolver }).createFromUrl(`${url}/a2a/pm/`)
const ways = {
  'JSON-RPC': () => client(new JsonRpcTransportFactory({ fetchImpl })),
  'HTTP+JSON': () => client(new RestTransportFactory({ fetchImpl })),
  'JSON-RPC of 0.3': async () => new LegacyJsonRpcTransport({ endpoint: `${url}/a2a/pm`, fetchImpl }),
}
const says = (text, more = {}, configuration) => SendMessageRequest.fromJSON({ message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more }, configuration })
const textOf = (task) => Task.toJSON(task).artifacts[0].parts[0].text

const checks = {
  card: async () => {
    const stranger = await new DefaultAgentCardResolver().resolve(url)
    const known = await cardResolver.resolve(url)
    assert.equal(stranger.skills.length, 0)
    assert.ok(known.skills.some((s) => s.id === 'pm') && known.capabilities.streaming && !known.capabilities.pushNotifications)
  },
}
for (const [way, make] of Object.entries(ways)) {
  checks[`${way}: a message is a task`] = async () => {
    const c = await make()
    const request = says('How is the budget?')
    const task = await c.sendMessage(request)
    assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED)
    assert.equal(textOf(task), 'The budget is fine.')
    assert.equal((await c.sendMessage(request)).id, task.id)
    const got = await c.getTask(GetTaskRequest.fromJSON({ id: task.id }))
    assert.equal(textOf(got), 'The budget is fine.')
    const next = await c.sendMessage(says('And now?', { contextId: task.contextId }))
    assert.equal(next.contextId, task.contextId)
    assert.notEqual(next.id, task.id)
    await assert.rejects(async () => c.getTask(GetTaskRequest.fromJSON({ id: 'run_none' })))
  }
  checks[`${way}: streaming`] = async () => {
    const c = await make()
    let text = '', state
    for await (const event of c.sendMessageStream(says('How is the budget?'))) {
      const e = event.payload
      if (e.$case === 'task') [text, state] = [e.value.artifacts.length ? textOf(e.value) : '', e.value.status.state]
      if (e.$case === 'artifactUpdate') text += e.value.artifact.parts[0].content.value
      if (e.$case === 'statusUpdate') state = e.value.status.state
    }
    assert.equal(text, 'The budget is fine.')
    assert.equal(state, TaskState.TASK_STATE_COMPLETED)
  }
  checks[`${way}: cancellation`] = async () => {
    const c = await make()
    const slow = await c.sendMessage(says('Take your time.', {}, { returnImmediately: true }))
    assert.ok([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING].includes(slow.status.state), String(slow.status.state))
    assert.equal((await c.cancelTask(CancelTaskRequest.fromJSON({ id: slow.id }))).status.state, TaskState.TASK_STATE_CANCELED)
  }
}
for (const way of ['JSON-RPC', 'HTTP+JSON']) {
  checks[`${way}: a list`] = async () => {
    const c = await ways[way]()
    const task = await c.sendMessage(says('How is the budget?'))
    const list = await c.listTasks(ListTasksRequest.fromJSON({ contextId: task.contextId }))
    assert.deepEqual(list.tasks.map((t) => t.id), [task.id])
  }
}

const ended = await Promise.all(Object.entries(checks).map(async ([name, check]) => {
  const err = await check().then(() => undefined, (e) => e)
  console.log(err ? `FAIL ${name}: ${err.stack}` : `ok   ${name}`)
  return !err
}))
process.exit(ended.every(Boolean) ? 0 : 1)
