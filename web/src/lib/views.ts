/** views are the page's places, each with the key that follows `g`. */
export const views = [
  { to: '/', name: 'Intake', key: 'i' },
  { to: '/threads', name: 'Threads', key: 't' },
  { to: '/tickets', name: 'Tickets', key: 'k' },
  { to: '/people', name: 'People', key: 'p' },
  { to: '/objectives', name: 'Objectives', key: 'o' },
  { to: '/plan', name: 'Plan', key: 'm' },
  { to: '/notes', name: 'Notes', key: 'n' },
  { to: '/deltas', name: 'Delta packs', key: 'd' },
  { to: '/search', name: 'Search', key: 's' },
  { to: '/ask', name: 'Ask', key: 'a' },
  { to: '/chat', name: 'Chat', key: 'c' },
  { to: '/project', name: 'Project', key: 'j' },
  { to: '/runs', name: 'Runs', key: 'r' },
  { to: '/approvals', name: 'Approvals', key: 'v' },
  { to: '/schedules', name: 'Schedules', key: 'h' },
  { to: '/agents', name: 'Agents', key: 'g' },
  { to: '/log', name: 'Log', key: 'l' },
] as const

/** nameOf is the name of the place at a path, for the window's title. */
export function nameOf(path: string): string {
  if (path.startsWith('/records/')) return 'Record'
  if (path.startsWith('/runs/')) return 'Run'
  return views.find((v) => v.to === path)?.name ?? 'Nothing here'
}
