import { priorities, statuses } from '../pages/tickets/values'

/** Field is a field of a record that people edit: its name in the API, and what it takes. of is the kind of records that it names. */
export type Field = { name: string; takes: 'text' | 'area' | 'number' | 'date' | 'list' | 'moment' | 'check' | 'choice' | 'record' | 'records'; choices?: string[]; of?: 'ticket' | 'objective' | 'phase' }

const text = (...names: string[]): Field[] => names.map((name) => ({ name, takes: 'text' }))
const area = (...names: string[]): Field[] => names.map((name) => ({ name, takes: 'area' }))
const number = (...names: string[]): Field[] => names.map((name) => ({ name, takes: 'number' }))
const date = (...names: string[]): Field[] => names.map((name) => ({ name, takes: 'date' }))
const list = (...names: string[]): Field[] => names.map((name) => ({ name, takes: 'list' }))
const check = (...names: string[]): Field[] => names.map((name) => ({ name, takes: 'check' }))
const record = (name: string, of: 'phase'): Field => ({ name, takes: 'record', of })
const records = (name: string, of: 'ticket' | 'objective'): Field => ({ name, takes: 'records', of })
const choice = (name: string, choices: string[]): Field[] => [{ name, takes: 'choice', choices }]

/** Plural is how the address of a list of a kind ends. */
export type Plural = 'tickets' | 'threads' | 'objectives' | 'resources' | 'phases' | 'milestones' | 'checklists' | 'ideas' | 'links' | 'reminders' | 'blindspots'

/** kinds are the records that people edit: where their list is, and their fields in the order in which they are read. */
export const kinds: { [kind: string]: { plural: Plural; fields: Field[] } } = {
  ticket: {
    plural: 'tickets',
    fields: [
      ...text('title'), ...choice('status', statuses), ...choice('priority', priorities), ...text('owner'), ...number('storyPoints'), ...text('sprint'), ...date('dueDate'),
      ...choice('type', ['INITIATIVE', 'EPIC', 'STORY', 'SUBTASK']), ...list('labels'), ...area('description'), ...text('externalRef', 'reporter'), records('blockedBy', 'ticket'), records('objectiveIds', 'objective'),
    ],
  },
  thread: { plural: 'threads', fields: [...text('title'), ...choice('lifecycle', ['DRAFT', 'ACTIVE', 'CLOSED']), ...date('date'), ...list('attendees'), ...area('summary'), ...list('openQuestions'), ...area('content')] },
  objective: {
    plural: 'objectives',
    fields: [...area('outcome'), ...choice('status', ['PROPOSED', 'COMMITTED', 'AT_RISK', 'ACHIEVED', 'MISSED', 'DROPPED']), ...text('sprintName'), ...date('startDate', 'endDate'), ...text('measurableSignal'), ...list('risks'), records('ticketIds', 'ticket')],
  },
  resource: { plural: 'resources', fields: [...text('name'), ...choice('role', ['ENGINEER', 'DESIGNER', 'PM', 'QA']), ...text('email'), ...number('capacity', 'availability'), ...list('skills', 'aliases')] },
  phase: {
    plural: 'phases',
    fields: [...text('name'), ...choice('status', ['NOT_STARTED', 'PENDING', 'ACTIVE', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED']), ...date('startDate', 'endDate'), ...number('sortOrder'), ...area('description'), ...list('entryCriteria', 'exitCriteria')],
  },
  milestone: {
    plural: 'milestones',
    fields: [...text('name'), ...choice('status', ['UPCOMING', 'ON_TRACK', 'AT_RISK', 'MISSED', 'COMPLETED']), ...date('targetDate', 'actualDate'), ...text('owner'), record('phaseId', 'phase'), ...area('description'), records('ticketIds', 'ticket')],
  },
  checklist: { plural: 'checklists', fields: [...text('name'), record('phaseId', 'phase'), records('ticketIds', 'ticket')] },
  idea: { plural: 'ideas', fields: [...text('title'), ...choice('status', ['NEW', 'REVIEWED', 'PROMOTED', 'ARCHIVED']), ...list('tags'), ...area('content')] },
  link: { plural: 'links', fields: [...text('title', 'url', 'category', 'description'), ...check('pinned'), ...list('tags')] },
  reminder: { plural: 'reminders', fields: [...text('message'), { name: 'triggerAt', takes: 'moment' }, ...text('condition'), ...check('recurring'), ...number('intervalSeconds')] },
  blindspot: {
    plural: 'blindspots',
    fields: [...text('title'), ...choice('severity', priorities), ...choice('status', ['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'DISMISSED']), ...text('owner'), ...area('description')],
  },
}

/** Values are what the fields of a form say: always texts, of a list one line each. */
export type Values = { [field: string]: string }

type Edited = { body: unknown; owner?: string | undefined }

/** valuesOf are the fields of a record as a form says them. The owner of a ticket stands beside its body. */
export function valuesOf(fields: Field[], record: Edited): Values {
  const body = record.body as { [field: string]: unknown }
  return Object.fromEntries(fields.map((f) => {
    const value = f.name === 'owner' && body.owner === undefined ? record.owner : body[f.name]
    return [f.name, Array.isArray(value) ? value.join('\n') : value === undefined || value === null ? '' : String(value)]
  }))
}

/** patchOf is the merge patch that makes `now` of `before`; an empty field is cleared. */
export function patchOf(fields: Field[], now: Values, before: Values): { [field: string]: unknown } {
  const patch: { [field: string]: unknown } = {}
  for (const f of fields) {
    const value = (now[f.name] ?? '').trim()
    if (value === (before[f.name] ?? '').trim()) continue
    if (value === '') patch[f.name] = null
    else if (f.takes === 'number') patch[f.name] = Number(value)
    else if (f.takes === 'check') patch[f.name] = value === 'true'
    else if (f.takes === 'list' || f.takes === 'records') patch[f.name] = value.split('\n').map((l) => l.trim()).filter(Boolean)
    else patch[f.name] = value
  }
  return patch
}
