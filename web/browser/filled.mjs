// What puts something on every view of a project, beside what its documents give.

/** fill makes records of the kinds that no document of the demo has. post makes one by the API. */
export async function fill(post, project) {
  const at = (plural, data) => post(`/api/projects/${project}/${plural}`, data)
  const day = (n) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)
  await at('phases', { name: 'Beta', sortOrder: 1, status: 'IN_PROGRESS', startDate: day(-20), endDate: day(10), exitCriteria: ['10 users'] })
  await at('phases', { name: 'Launch', sortOrder: 2, startDate: day(10), endDate: day(40) })
  await at('milestones', { name: 'First user', targetDate: day(-3) })
  await at('milestones', { name: 'A hundred users', targetDate: day(30) })
  await at('checklists', { name: 'Release', items: [{ itemId: '1', text: 'The release notes are written', checked: true }, { itemId: '2', text: 'Somebody is on call' }] })
  await at('ideas', { title: 'One retry queue for all gateways', content: 'It would save a service.' })
  await at('links', { url: 'https://status.example.com/gateway', title: 'The status page of the gateway', category: 'Operations' })
  await at('reminders', { message: 'Ask the gateway for the new limits', triggerAt: new Date(Date.now() + 86_400_000).toISOString() })
  await post('/api/memories', { projectId: project, scope: 'PROJECT', key: 'gateway-limits', content: 'The gateway takes 50 calls a second.' })
  await post('/api/chat', { projectId: project, text: 'whereami' })
}
