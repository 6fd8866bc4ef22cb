import { Table } from '../../ui/Table'

/** Addresses shows by which protocols programs with a key reach the organization, and where. */
export function Addresses() {
  const at = location.origin
  const rows = [
    { protocol: 'OpenAI’s API', address: `${at}/v1`, use: 'The base URL. The model chela is the organization, chela/AGENT one agent.' },
    { protocol: 'Anthropic’s API', address: at, use: 'The base URL. Models as above.' },
    { protocol: 'MCP', address: `${at}/mcp`, use: 'For editors: tools, records and agents.' },
    { protocol: 'A2A', address: `${at}/a2a`, use: `For agents of other organizations. One agent is at /a2a/AGENT, the card at ${at}/.well-known/agent-card.json.` },
  ]
  return (
    <>
      <h3>Addresses for programs</h3>
      <p>Each takes a key as a bearer token.</p>
      <Table
        heads={['Protocol', 'Address', 'Use']}
        rows={rows.map(({ protocol, address, use }) => ({ key: protocol, cells: [protocol, <code key="at" className="wrap-anywhere">{address}</code>, use] }))}
      />
    </>
  )
}
