// The SDKs of OpenAI, Anthropic and Vercel against a daemon whose agent "pm" answers from the script in sdks_test.go.
// node sdks.mjs ADDRESS TOKEN prints a line for each check, and ends with 1 when one fails.
import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'

const [url, token] = process.argv.slice(2)
const model = 'chela/pm'
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const sunny = { type: 'object', properties: { city: { type: 'string' }, sunny: { type: 'boolean' } }, required: ['city', 'sunny'], additionalProperties: false }
const weather = ({ city }) => `It is sunny in ${city}.`
const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 })
const anthropic = new Anthropic({ baseURL: url, apiKey: token, maxRetries: 0 })
const ai = createOpenAICompatible({ name: 'chela', baseURL: `${url}/v1`, apiKey: token, supportsStructuredOutputs: true })(model)

// leaving calls something with a signal that leaves soon, and returns the error and how long it took.
async function leaving(call) {
  const leave = new AbortController()
  setTimeout(() => leave.abort(), 100)
  const began = Date.now()
  const err = await call(leave.signal).then(() => assert.fail('it was not left'), (e) => e)
  assert.ok(Date.now() - began < 5000, 'leaving takes long')
  return err
}

const checks = {
  'openai: models': async () => {
    const ids = (await openai.models.list()).data.map((m) => m.id)
    assert.ok(ids.includes(model) && ids.includes('chela'), ids.join())
    assert.equal((await openai.models.retrieve(model)).id, model)
  },
  'openai: streaming': async () => {
    const stream = await openai.chat.completions.create({ model, stream: true, stream_options: { include_usage: true }, messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'How is the budget?' }] })
    let text = '', usage
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      usage = chunk.usage ?? usage
    }
    assert.equal(text, 'The budget is fine.')
    assert.ok(usage.total_tokens > 0)
  },
  'openai: tools': async () => {
    const runner = openai.chat.completions.runTools({ model, messages: [{ role: 'user', content: 'Bern?' }], tools: [{ type: 'function', function: { name: 'get_weather', description: 'The weather.', parameters: city, parse: JSON.parse, function: weather } }] })
    assert.equal(await runner.finalContent(), 'Sunny.')
    assert.equal(runner.messages.filter((m) => m.role === 'tool')[0].content, 'It is sunny in Bern.')
  },
  'openai: structured output': async () => {
    const got = await openai.chat.completions.parse({ model, messages: [{ role: 'user', content: 'As JSON, please.' }], response_format: { type: 'json_schema', json_schema: { name: 'weather', schema: sunny, strict: true } } })
    assert.deepEqual(JSON.parse(got.choices[0].message.content), { city: 'Bern', sunny: true })
  },
  'openai: images': async () => {
    const got = await openai.chat.completions.create({ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'What is in the picture?' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } }] }] })
    assert.equal(got.choices[0].message.content, 'A red dot.')
    await assert.rejects(openai.chat.completions.create({ model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/' } }] }] }), OpenAI.BadRequestError)
  },
  'openai: errors': async () => {
    const ask = { messages: [{ role: 'user', content: 'x' }] }
    await assert.rejects(openai.chat.completions.create({ model: 'chela/nobody', ...ask }), (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found')
    await assert.rejects(openai.chat.completions.create({ model, n: 2, ...ask }), OpenAI.BadRequestError)
    await assert.rejects(new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong', maxRetries: 0 }).chat.completions.create({ model, ...ask }), (e) => e instanceof OpenAI.AuthenticationError && e.code === 'invalid_api_key')
  },
  'openai: cancellation': async () => {
    const err = await leaving((signal) => openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'Take your time.' }] }, { signal, headers: { 'X-Chela-On-Disconnect': 'cancel' } }))
    assert.ok(err instanceof OpenAI.APIUserAbortError, String(err))
  },
  'openai: responses': async () => {
    const tools = [{ type: 'function', name: 'get_weather', description: 'The weather.', parameters: city, strict: true }]
    const first = await openai.responses.stream({ model, input: 'Bern?', tools }).finalResponse()
    const call = first.output.find((i) => i.type === 'function_call')
    const second = await openai.responses.create({ model, tools, previous_response_id: first.id, input: [{ type: 'function_call_output', call_id: call.call_id, output: weather(JSON.parse(call.arguments)) }] })
    assert.equal(second.output_text, 'Sunny.')
    assert.equal((await openai.responses.retrieve(second.id)).output_text, 'Sunny.')
    const slow = await openai.responses.create({ model, background: true, input: 'Take your time.' })
    assert.equal((await openai.responses.cancel(slow.id)).status, 'cancelled')
  },
  'anthropic: streaming': async () => {
    const got = await anthropic.messages.stream({ model, max_tokens: 99, system: 'Be brief.', messages: [{ role: 'user', content: 'How is the budget?' }] }).finalMessage()
    assert.equal(got.content[0].text, 'The budget is fine.')
    assert.equal(got.stop_reason, 'end_turn')
    assert.ok((await anthropic.messages.countTokens({ model, messages: [{ role: 'user', content: 'How is the budget?' }] })).input_tokens > 3)
  },
  'anthropic: tools': async () => {
    const ask = { model, max_tokens: 99, tools: [{ name: 'get_weather', description: 'The weather.', input_schema: city }], messages: [{ role: 'user', content: 'Bern?' }] }
    const first = await anthropic.messages.stream(ask).finalMessage()
    const call = first.content.find((b) => b.type === 'tool_use')
    assert.equal(first.stop_reason, 'tool_use')
    ask.messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: weather(call.input) }] })
    const second = await anthropic.messages.create(ask)
    assert.equal(second.content[0].text, 'Sunny.')
  },
  'anthropic: structured output': async () => {
    const got = await anthropic.messages.create({ model, max_tokens: 99, output_config: { format: { type: 'json_schema', schema: sunny } }, messages: [{ role: 'user', content: 'As JSON, please.' }] })
    assert.deepEqual(JSON.parse(got.content[0].text), { city: 'Bern', sunny: true })
  },
  'anthropic: images': async () => {
    const got = await anthropic.messages.create({ model, max_tokens: 99, messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: dot } }, { type: 'text', text: 'What is in the picture?' }] }] })
    assert.equal(got.content[0].text, 'A red dot.')
  },
  'anthropic: errors': async () => {
    const ask = { max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
    await assert.rejects(anthropic.messages.create({ model: 'chela/nobody', ...ask }), Anthropic.NotFoundError)
    await assert.rejects(new Anthropic({ baseURL: url, apiKey: 'wrong', maxRetries: 0 }).messages.create({ model, ...ask }), Anthropic.AuthenticationError)
    await assert.rejects(anthropic.messages.create({ model, ...ask, messages: [] }), Anthropic.BadRequestError)
  },
  'anthropic: cancellation': async () => {
    const err = await leaving((signal) => anthropic.messages.create({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Take your time.' }] }, { signal }))
    assert.ok(err instanceof Anthropic.APIUserAbortError, String(err))
  },
  'ai: streaming': async () => {
    let text = ''
    for await (const more of streamText({ model: ai, prompt: 'How is the budget?' }).textStream) text += more
    assert.equal(text, 'The budget is fine.')
  },
  'ai: tools': async () => {
    const got = await generateText({ model: ai, prompt: 'Bern?', stopWhen: stepCountIs(3), tools: { get_weather: tool({ description: 'The weather.', inputSchema: jsonSchema(city), execute: weather }) } })
    assert.equal(got.text, 'Sunny.')
    assert.equal(got.steps[0].toolResults[0].output, 'It is sunny in Bern.')
  },
  'ai: structured output': async () => {
    const got = await generateText({ model: ai, prompt: 'As JSON, please.', output: Output.object({ schema: jsonSchema(sunny) }) })
    assert.deepEqual(got.output, { city: 'Bern', sunny: true })
  },
  'ai: images': async () => {
    const got = await generateText({ model: ai, messages: [{ role: 'user', content: [{ type: 'text', text: 'What is in the picture?' }, { type: 'image', image: dot, mediaType: 'image/png' }] }] })
    assert.equal(got.text, 'A red dot.')
  },
  'ai: errors and cancellation': async () => {
    const none = createOpenAICompatible({ name: 'chela', baseURL: `${url}/v1`, apiKey: token })('chela/nobody')
    await assert.rejects(generateText({ model: none, prompt: 'x', maxRetries: 0 }), (e) => e.statusCode === 404)
    const err = await leaving((abortSignal) => generateText({ model: ai, prompt: 'Take your time.', abortSignal, maxRetries: 0 }))
    assert.equal(err.name, 'AbortError')
  },
}

const ended = await Promise.all(Object.entries(checks).map(async ([name, check]) => {
  const err = await check().then(() => undefined, (e) => e)
  console.log(err ? `FAIL ${name}: ${err.stack}` : `ok   ${name}`)
  return !err
}))
process.exit(ended.every(Boolean) ? 0 : 1)
