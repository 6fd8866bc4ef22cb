import { type Later, type Load, later } from './lib/later'

/** Part is what a view draws, and of what: a project, a moment of one that can be an earlier one, or neither. */
export type Part = { of: 'all'; Draw: Later<object> } | { of: 'project' | 'moment'; Draw: Later<{ project: string }> }

/** Hears names, for each question that a view asks, the events that make its answer stale: all whose type begins so, without those after a -. */
export type Hears = { [question: string]: string[] }

/** At is a place of the page: its path, in which $id is any name, its name, and what is drawn there. timed says that what is drawn shows the moment itself. One that leads is another name of that path. */
type At = { to: string; name: string; part: Part; timed?: true; leads?: string }

/** View is a place that has a key, which follows `g`, and a code and words that the command line takes; one of the rail is always in sight. */
export type View = At & { key: string; code: string; also?: string; rail?: true; hears?: Hears }

const part = <Name extends string>(load: Load<Name, object>, name: Name): Part => ({ of: 'all', Draw: later(load, name) })
const ofProject = <Name extends string>(load: Load<Name, { project: string }>, name: Name): Part => ({ of: 'project', Draw: later(load, name) })
const ofMoment = <Name extends string>(load: Load<Name, { project: string }>, name: Name): Part => ({ of: 'moment', Draw: later(load, name) })

/** groups are the views by what they are for. */
export const groups: { name: string; views: View[] }[] = [
  {
    name: 'Work',
    views: [
      { to: '/today', rail: true, name: 'Today', key: 'y', code: 'TODAY', also: 'what needs me, home', part: ofMoment(() => import('./pages/today/Today'), 'Today'), hears: { today: ['desk'] } },
      { to: '/inbox', rail: true, name: 'Inbox', key: 'N', code: 'INBX', also: 'notifications, mentions, what concerns me', part: part(() => import('./pages/inbox/Inbox'), 'Inbox'), hears: { notification: ['notification'] } },
      { to: '/tickets', rail: true, name: 'Tickets', key: 'k', code: 'TICK', also: 'issues, backlog', part: ofMoment(() => import('./pages/tickets/Tickets'), 'Tickets'), hears: { ticket: ['desk.assignment'] } }, // its rows name the owner
      { to: '/sprint', rail: true, name: 'Sprint', key: 'S', code: 'SPRT', also: 'burn-up, scope change, done, left', part: ofMoment(() => import('./pages/Sprint'), 'Sprint') },
      { to: '/charts', name: 'Charts', key: 'G', code: 'CHRT', also: 'throughput, cycle time, ageing, flow, cost', part: ofMoment(() => import('./pages/charts/Charts'), 'Charts') },
      { to: '/report', name: 'Report', key: 'P', code: 'REPT', also: 'status, to send upward, print, weekly', part: ofMoment(() => import('./pages/report/Report'), 'Report') },
      { to: '/plan', name: 'Plan', key: 'm', code: 'PLAN', also: 'phases, milestones, timeline', part: ofMoment(() => import('./pages/plan/Plan'), 'Plan') },
      { to: '/people', rail: true, name: 'People', key: 'p', code: 'CAP', also: 'capacity, load, who is free', part: ofMoment(() => import('./pages/People'), 'People'), hears: { capacity: ['desk'] } },
      { to: '/objectives', name: 'Objectives', key: 'o', code: 'OBJ', also: 'goals, coverage, unmapped', part: ofMoment(() => import('./pages/Objectives'), 'Objectives') },
      { to: '/checklists', name: 'Checklists', key: 'C', code: 'CHKL', also: 'what has to be checked, items, readiness', part: ofMoment(() => import('./pages/Checklists'), 'Checklists') },
      { to: '/reminders', name: 'Reminders', key: 'R', code: 'REMD', also: 'what rang, tomorrow, conditions', part: ofMoment(() => import('./pages/Reminders'), 'Reminders') },
      { to: '/ideas', name: 'Ideas', key: 'I', code: 'IDEA', also: 'promote, make a ticket', part: ofMoment(() => import('./pages/Ideas'), 'Ideas') },
      { to: '/links', name: 'Links', key: 'L', code: 'LINK', also: 'addresses, runbooks', part: ofMoment(() => import('./pages/Links'), 'Links') },
    ],
  },
  {
    name: 'Sources',
    views: [
      { to: '/', rail: true, name: 'Intake', key: 'i', code: 'INTK', also: 'paste, upload, import', part: part(() => import('./pages/Home'), 'Home') },
      { to: '/threads', rail: true, name: 'Threads', key: 't', code: 'THRD', also: 'minutes, decisions, actions', timed: true, part: ofProject(() => import('./pages/threads/Threads'), 'Threads') },
      { to: '/ask', rail: true, name: 'Ask', key: 'a', code: 'ASK', also: 'question', part: ofMoment(() => import('./pages/Ask'), 'Ask') },
      { to: '/search', name: 'Search', key: 's', code: 'FIND', also: 'words', part: ofProject(() => import('./pages/Search'), 'Search') },
      { to: '/deltas', name: 'Reconcile', key: 'd', code: 'DELT', also: 'delta packs, drift, disagree', part: ofMoment(() => import('./pages/Reconcile'), 'Reconcile') },
      { to: '/blindspots', name: 'Blindspots', key: 'b', code: 'BLND', also: 'what nobody looks at, gaps, risk', part: ofMoment(() => import('./pages/Blindspots'), 'Blindspots') },
      { to: '/memory', name: 'Memory', key: 'e', code: 'MEM', also: 'remember, recall, forget', part: part(() => import('./pages/Memory'), 'Memory') },
      { to: '/project', name: 'Project', key: 'j', code: 'PROJ', also: 'archive, export, copy', part: ofProject(() => import('./pages/Project'), 'Project') },
    ],
  },
  {
    name: 'Agents',
    views: [
      { to: '/chat', rail: true, name: 'Chat', key: 'c', code: 'CHAT', also: 'conversation', part: part(() => import('./pages/chat/Chat'), 'Chat'), hears: { conversation: ['chat', 'session'], message: ['chat', 'session.edited', 'session.deleted', 'session.reacted', 'session.transcribed'] } },
      { to: '/approvals', rail: true, name: 'Approvals', key: 'v', code: 'APPR', also: 'questions, permission', part: part(() => import('./pages/approvals/Approvals'), 'Approvals'), hears: { approval: ['run', 'task', 'tool', 'routing', 'approval', 'model'] } },
      { to: '/runs', rail: true, name: 'Runs', key: 'r', code: 'RUN', also: 'work, trace', part: part(() => import('./pages/runs/Runs'), 'Runs'), hears: { run: ['run', 'task', 'tool', 'routing', 'approval', 'model'] } },
      { to: '/agents', name: 'Agents', key: 'g', code: 'ORG', also: 'organization, roles', part: part(() => import('./pages/agents/Agents'), 'Agents'), hears: { agent: ['agent', 'org', '-org.layout', 'run', 'task'], contract: ['workflow.evidence', 'run.outside'] } },
      { to: '/workflows', name: 'Workflows', key: 'W', code: 'FLOW', also: 'instances, steps, versions, library', part: part(() => import('./pages/Workflows'), 'Workflows'), hears: { workflow: ['workflow', 'run', '-workflow.edited', '-workflow.step'], draft: ['workflow', '-workflow.step'], instance: ['workflow', 'run', 'tool', 'approval', 'model.answered'] } },
      { to: '/skills', name: 'Skills', key: 'K', code: 'SKIL', also: 'instructions, what agents are taught, install', part: part(() => import('./pages/Skills'), 'Skills'), hears: { skill: ['skill'] } },
      { to: '/schedules', name: 'Schedules', key: 'h', code: 'SCHD', also: 'cron, executions', part: part(() => import('./pages/schedules/Schedules'), 'Schedules'), hears: { schedule: ['schedule'] } },
    ],
  },
  {
    name: 'Settings',
    views: [
      { to: '/models', name: 'Models', key: 'q', code: 'MODL', also: 'providers, prices, keys, failover', part: part(() => import('./pages/Models'), 'Models'), hears: { model: ['model.configured', 'model.rotated', 'model.chosen'] } },
      { to: '/channels', name: 'Channels', key: 'n', code: 'CHAN', also: 'chat platforms, pairing, deliveries', part: part(() => import('./pages/channels/Channels'), 'Channels'), hears: { channel: ['channel'] } },
      { to: '/users', name: 'Users', key: 'u', code: 'USER', also: 'persons, roles, invite, tokens', part: part(() => import('./pages/Users'), 'Users'), hears: { person: ['agent', 'org', '-org.layout'] } },
      { to: '/doors', name: 'Doors', key: 'D', code: 'DOOR', also: 'keys of programs, trackers, webhooks, MCP servers', part: part(() => import('./pages/doors/Doors'), 'Doors'), hears: { person: ['agent', 'org', '-org.layout'], tracker: ['tracker'], webhook: ['webhook'], mcp: ['mcp'] } },
      { to: '/budgets', name: 'Budgets', key: 'f', code: 'BUDG', also: 'funds, limits, money, tokens', part: part(() => import('./pages/Budgets'), 'Budgets'), hears: { budget: ['budget', 'run', 'task', 'tool', 'routing', 'approval'] } },
      { to: '/vault', name: 'Vault', key: 'x', code: 'VALT', also: 'secrets, keys', part: part(() => import('./pages/Vault'), 'Vault'), hears: { vault: ['vault', 'policy', 'guard'] } },
      { to: '/hooks', name: 'Hooks', key: 'z', code: 'HOOK', also: 'programs, services', part: part(() => import('./pages/Hooks'), 'Hooks'), hears: { hook: ['hook'] } },
      { to: '/policy', name: 'Policy', key: 'w', code: 'PLCY', also: 'rules, permission, allowances', part: part(() => import('./pages/Policy'), 'Policy'), hears: { policy: ['policy', 'guard'] } },
      { to: '/log', name: 'Log', key: 'l', code: 'LOG', also: 'events, verify', part: part(() => import('./pages/log/Log'), 'Log') },
    ],
  },
]

/** rail are the groups of the navigation: the views that a day needs. The rest is in the command line and on the page of all views. */
export const rail = groups.map((g) => ({ name: g.name, views: g.views.filter((v) => v.rail) })).filter((g) => g.views.length > 0)

/** others are places that a view leads to. */
const others: At[] = [
  { to: '/intake', name: 'Intake', leads: '/', part: part(() => import('./pages/Home'), 'Home') },
  { to: '/views', name: 'All views', part: part(() => import('./pages/Views'), 'Views') },
  ...(import.meta.env.DEV ? [{ name: 'Design', to: '/design', part: part(() => import('./pages/design/Design'), 'Design') }] : []),
  { to: '/start', name: 'Start', part: part(() => import('./pages/start/Start'), 'Start') },
  { to: '/workflows/$id', name: 'Workflow', part: part(() => import('./pages/workflows/Workflow'), 'Workflow') },
  { to: '/instances/$id', name: 'Instance', timed: true, part: part(() => import('./pages/workflows/Instance'), 'Instance') },
  { to: '/runs/$id', name: 'Run', part: part(() => import('./pages/runs/Run'), 'Run') },
  { to: '/records/$id', name: 'Record', timed: true, part: part(() => import('./pages/records/Record'), 'Record') },
]

/** views are all of them. */
export const views: View[] = groups.flatMap((g) => g.views)

/** places are all places of the page. */
export const places: At[] = [...views, ...others]

/** placeAt is the place at a path, if there is one. */
export const placeAt = (path: string): At | undefined => places.find((p) => p.to === path) ?? places.find((p) => p.to === path.replace(/[^/]+$/, '$id'))

/** takesMoment says whether what is at a path can be shown as of an earlier moment. */
export function takesMoment(path: string): boolean {
  const at = placeAt(path)
  return at?.part.of === 'moment' || at?.timed === true
}

/** nameOf is the name of the place at a path, for the window's title. */
export const nameOf = (path: string): string => placeAt(path)?.name ?? 'Nothing here'

/** frame is what the frame and the records' pages ask. */
const frame: Hears = { layout: ['org.layout'], counts: ['desk'], record: ['desk', 'workflow.evidence'] }

/** begins says whether a type is one of an event's: the word itself, or words of it with dots. */
const begins = (type: string, word: string) => type === word || type.startsWith(`${word}.`)

/** stale lists the questions whose answers a recorded event makes stale; a question about records is named after their kind. */
export function stale(type: string): string[] {
  const [space, kind] = type.split('.')
  const heard = [frame, ...views.map((v) => v.hears ?? {})].flatMap((hears) => Object.entries(hears))
    .filter(([, words]) => words.some((w) => begins(type, w)) && !words.some((w) => w.startsWith('-') && begins(type, w.slice(1)))).map(([question]) => question)
  return space === 'desk' && kind ? [...new Set([kind, ...heard])] : heard
}
