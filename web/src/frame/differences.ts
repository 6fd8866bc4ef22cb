import { later, type Later } from '../lib/later'

/** drawn are the views that show their own difference between two moments. */
export const drawn: { [to: string]: Later<{ project: string }> } = {
  '/tickets': later(() => import('../pages/differences/Tickets'), 'Tickets'),
  '/people': later(() => import('../pages/differences/People'), 'People'),
  '/sprint': later(() => import('../pages/differences/Sprint'), 'Sprint'),
}

/** spans are the views that show a range themselves. */
export const spans = ['/charts', '/report']

/** kindsOf are the kinds of records of the other views; of what is not here all are shown. */
export const kindsOf: { [to: string]: string[] } = {
  '/plan': ['phase', 'milestone', 'sprint_plan'], '/objectives': ['objective'], '/checklists': ['checklist'], '/reminders': ['reminder'], '/ideas': ['idea'], '/links': ['link'],
  '/deltas': ['delta_pack', 'reconciliation'], '/blindspots': ['blindspot'], '/threads': ['thread', 'comment'],
  '/today': ['ticket', 'objective', 'milestone', 'phase', 'sprint_plan', 'checklist', 'reminder', 'idea', 'thread', 'blindspot', 'delta_pack', 'resource', 'comment'],
}
