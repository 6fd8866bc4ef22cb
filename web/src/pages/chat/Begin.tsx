import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../../lib/status'
import { type Agent, agentName, atWork, useAgents } from '../../lib/agents'
import { count } from '../../lib/count'
import { useWord } from '../../lib/project'
import { useOutbox } from '../../lib/outbox'
import { Avatar } from '../../ui/Avatar'
import { Presence } from '../../ui/Presence'
import { Composer } from './Composer'
import { Examples } from './Examples'
import { Pending } from './Pending'
import { useBack } from './useBack'

/** doing says what an agent has in hand, else what it was asked today. */
const doing = (a: Agent) => ((a.doing ?? []).length > 0 ? `${count((a.doing ?? []).length, 'run')} in hand` : a.today.calls > 0 ? `${count(a.today.calls, 'call')} today, ${a.today.cost_usd.toFixed(3)} USD` : 'idle today')

/** Begin starts a conversation: with one agent, or with whoever the controller finds fit. */
export function Begin(p: { project: string; agent: string; onBegun: (thread: string) => void; onBack: () => void }) {
  const [, setAgent] = useWord('agent')
  const [form] = useWord('form')
  const agents = atWork((useAgents().data ?? []).filter((a) => a.enabled))
  const box = useOutbox({ thread: '', project: p.project }, p.onBegun)
  const [fresh, back, write] = useBack(box.drop)
  const models = useQuery(statusQuery).data?.models
  const to = agents.find((a) => agentName(a) === p.agent)
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        <button type="button" className="plain @3xl:hidden" onClick={p.onBack} aria-label="All conversations">‹</button>
        <b className="flex-1">{p.agent ? `New conversation with ${p.agent}` : 'New conversation'}</b>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 py-4">
        {to ? (
          <div className="flex gap-3">
            <Avatar name={p.agent} agent />
            <div className="min-w-0"><b>{to.card.display.name}</b> <Presence of={to.presence} word /><p className="m-0! text-muted">{to.card.display.desc}</p></div>
          </div>
        ) : (
          <p className="mt-0! max-w-[70ch] text-muted">Say what you need. The controller hands it to the agent that fits; <kbd>@</kbd> and a name goes to that one. {models === 0 && <>No model is configured: questions such as <code className="text-text">what is overdue?</code> are answered from the records, <code className="text-text">whereami</code> works too, and <Link to="/models">Models</Link> takes one.</>}</p>
        )}
        <fieldset aria-label="Who answers" className="mt-4 grid grid-cols-1">
          {['', ...agents.map(agentName)].map((name) => {
            const a = agents.find((x) => agentName(x) === name)
            return (
              <button key={name} type="button" aria-pressed={name === p.agent} onClick={() => setAgent(name)} className={`flex min-w-0 items-center gap-2 border-0! border-b! border-line/60! px-2! py-0.5! text-left text-text! ${name === p.agent ? 'bg-selected!' : 'bg-transparent! hover:bg-panel!'}`}>
                <span className="w-2">{a && <Presence of={a.presence} />}</span>
                <span className="w-[16ch] shrink-0 truncate text-agent">{name || 'whoever fits'}</span>
                <span className="min-w-0 flex-1 truncate text-muted">{a?.card.display.desc ?? 'the controller decides'}</span>
                {a && <span className="shrink-0 text-sm text-faint @max-2xl:hidden">{doing(a)}</span>}
              </button>
            )
          })}
        </fieldset>
        <Examples onTake={write} />
      </div>
      <div className="px-3 pb-3">
        <Pending letters={box.letters} onAgain={box.again} onEdit={back} />
        <Composer place={`new ${p.project}`} to={p.agent || 'the agents'} begun={form === 'new'} fresh={fresh} onSend={(text, agent, pictures) => box.say(text, agent || p.agent, pictures)} />
      </div>
    </>
  )
}
