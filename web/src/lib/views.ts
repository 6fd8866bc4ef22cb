/** View is a place of the page: its path, name, the key that follows `g`, and the code that the command line takes. */
export type View = { to: string; name: string; key: string; code: string; also?: string }

/** groups are the views as the navigation shows them. */
export const groups: { name: string; views: View[] }[] = [
  {
    name: 'Desk',
    views: [
      { to: '/today', name: 'Today', key: 'y', code: 'TODAY', also: 'what needs me, home' },
      { to: '/', name: 'Intake', key: 'i', code: 'INTK', also: 'paste, upload, import' },
      { to: '/threads', name: 'Threads', key: 't', code: 'THRD', also: 'minutes, decisions, actions' },
      { to: '/tickets', name: 'Tickets', key: 'k', code: 'TICK', also: 'issues, backlog' },
      { to: '/people', name: 'People', key: 'p', code: 'CAP', also: 'capacity, load, who is free' },
      { to: '/objectives', name: 'Objectives', key: 'o', code: 'OBJ', also: 'goals, coverage, unmapped' },
      { to: '/sprint', name: 'Sprint', key: 'S', code: 'SPRT', also: 'burn-up, scope change, done, left' },
      { to: '/plan', name: 'Plan', key: 'm', code: 'PLAN', also: 'phases, milestones, timeline' },
      { to: '/checklists', name: 'Checklists', key: 'C', code: 'CHKL', also: 'what has to be checked, items, readiness' },
      { to: '/reminders', name: 'Reminders', key: 'R', code: 'REMD', also: 'what rang, tomorrow, conditions' },
      { to: '/links', name: 'Links', key: 'L', code: 'LINK', also: 'addresses, runbooks' },
      { to: '/ideas', name: 'Ideas', key: 'I', code: 'IDEA', also: 'promote, make a ticket' },
      { to: '/deltas', name: 'Reconcile', key: 'd', code: 'DELT', also: 'delta packs, drift, disagree' },
      { to: '/blindspots', name: 'Blindspots', key: 'b', code: 'BLND', also: 'what nobody looks at, gaps, risk' },
      { to: '/search', name: 'Search', key: 's', code: 'FIND', also: 'words' },
      { to: '/ask', name: 'Ask', key: 'a', code: 'ASK', also: 'question' },
      { to: '/project', name: 'Project', key: 'j', code: 'PROJ', also: 'archive, export, copy' },
    ],
  },
  {
    name: 'Agents',
    views: [
      { to: '/chat', name: 'Chat', key: 'c', code: 'CHAT', also: 'conversation' },
      { to: '/runs', name: 'Runs', key: 'r', code: 'RUN', also: 'work, trace' },
      { to: '/approvals', name: 'Approvals', key: 'v', code: 'APPR', also: 'questions, permission' },
      { to: '/schedules', name: 'Schedules', key: 'h', code: 'SCHD', also: 'cron, executions' },
      { to: '/memory', name: 'Memory', key: 'e', code: 'MEM', also: 'remember, recall, forget' },
      { to: '/agents', name: 'Agents', key: 'g', code: 'ORG', also: 'organization, roles' },
    ],
  },
  {
    name: 'System',
    views: [
      { to: '/models', name: 'Models', key: 'q', code: 'MODL', also: 'providers, prices, keys, failover' },
      { to: '/users', name: 'Users', key: 'u', code: 'USER', also: 'persons, roles, invite, tokens' },
      { to: '/channels', name: 'Channels', key: 'n', code: 'CHAN', also: 'chat platforms, pairing, deliveries' },
      { to: '/budgets', name: 'Budgets', key: 'f', code: 'BUDG', also: 'funds, limits, money, tokens' },
      { to: '/vault', name: 'Vault', key: 'x', code: 'VALT', also: 'secrets, keys' },
      { to: '/hooks', name: 'Hooks', key: 'z', code: 'HOOK', also: 'programs, services' },
      { to: '/policy', name: 'Policy', key: 'w', code: 'PLCY', also: 'rules, permission, allowances' },
      { to: '/log', name: 'Log', key: 'l', code: 'LOG', also: 'events, verify' },
    ],
  },
]

/** views are all of them. */
export const views: View[] = groups.flatMap((g) => g.views)

/** nameOf is the name of the place at a path, for the window's title. */
export function nameOf(path: string): string {
  if (path.startsWith('/records/')) return 'Record'
  if (path.startsWith('/runs/')) return 'Run'
  if (path === '/start') return 'Start'
  return views.find((v) => v.to === path)?.name ?? 'Nothing here'
}
