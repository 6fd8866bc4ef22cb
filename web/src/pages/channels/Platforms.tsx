import type { Schemas } from '../../api/client'
import { worded } from '../../lib/words'
import { Table } from '../../ui/Table'

/** names are how platforms are called; the first of them are offered first. */
const names: { [kind: string]: string } = { slack: 'Slack', telegram: 'Telegram', discord: 'Discord', whatsapp: 'WhatsApp', 'whatsapp-app': 'WhatsApp app', dingtalk: 'DingTalk', webhook: 'Webhook' }

/** platform is how a kind of channel is called. */
export const platform = (kind: string) => names[kind] ?? worded(kind)

/** inOrder puts those first that most use. */
export const inOrder = (kinds: Schemas['ChannelKind'][]) => kinds.toSorted((a, b) => rank(a.kind) - rank(b.kind))
const rank = (kind: string) => (Object.keys(names).indexOf(kind) + 1) || 99

/** Platforms lists what can be connected, and what each needs. */
export function Platforms(p: { of: Schemas['ChannelKind'][]; chosen: string; onChoose: (kind: string) => void }) {
  return (
    <section>
      <h3>Platforms</h3>
      <Table
        heads={['Platform', 'Needs', 'May have']}
        rows={p.of.map((k) => {
          const all = [...(k.secrets ?? []), ...(k.settings ?? [])]
          const list = (optional: boolean) => all.filter((n) => (n.optional ?? false) === optional).map((n) => worded(n.name).toLowerCase()).join(', ')
          return {
            key: k.kind,
            cells: [<button key="name" type="button" className="plain text-link!" aria-pressed={p.chosen === k.kind} onClick={() => p.onChoose(k.kind)}>{platform(k.kind)}</button>, list(false) || <span key="none" className="text-muted">nothing</span>, <span key="may" className="text-muted">{list(true)}</span>],
          }
        })}
      />
    </section>
  )
}
