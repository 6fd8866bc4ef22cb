// Made of internal/desk by `make openapi`.
import type { Field } from './form'

/** Plural is how the address of a list of a kind ends. */
export type Plural = 'objectives' | 'tickets' | 'resources' | 'threads' | 'blindspots' | 'phases' | 'milestones' | 'sprint-plans' | 'checklists' | 'ideas' | 'reminders' | 'links'

/** KindOf says how the ids of a kind begin, where its list is, which field stands for a record, and the fields that people edit, as they are read. */
export type KindOf = { prefix: string; plural: Plural; named?: string; fields: Field[] }

/** kinds are the records that people edit. */
export const kinds: { [kind: string]: KindOf } = {
  objective: {
    prefix: 'obj', plural: 'objectives', named: 'outcome',
    fields: [
      { name: 'outcome', takes: 'area' },
      { name: 'status', takes: 'choice', choices: ['PROPOSED', 'COMMITTED', 'AT_RISK', 'ACHIEVED', 'MISSED', 'DROPPED'] },
      { name: 'sprintName', takes: 'text' },
      { name: 'startDate', takes: 'date' },
      { name: 'endDate', takes: 'date' },
      { name: 'measurableSignal', takes: 'text' },
      { name: 'risks', takes: 'list' },
      { name: 'ticketIds', takes: 'records', of: 'ticket' },
    ],
  },
  ticket: {
    prefix: 'tkt', plural: 'tickets', named: 'title',
    fields: [
      { name: 'title', takes: 'text' },
      { name: 'status', takes: 'choice', choices: ['TODO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'BLOCKED', 'CLOSED'] },
      { name: 'outcome', takes: 'choice', choices: ['WONT_FIX', 'CANCELED', 'REJECTED', 'DUPLICATE', 'REMOVED', 'ARCHIVED'] },
      { name: 'priority', takes: 'choice', choices: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] },
      { name: 'owner', takes: 'text' },
      { name: 'storyPoints', takes: 'number' },
      { name: 'sprint', takes: 'text' },
      { name: 'earlierSprints', takes: 'list' },
      { name: 'dueDate', takes: 'date' },
      { name: 'type', takes: 'choice', choices: ['INITIATIVE', 'EPIC', 'STORY', 'TASK', 'BUG', 'SUBTASK'] },
      { name: 'labels', takes: 'list' },
      { name: 'description', takes: 'area' },
      { name: 'externalRef', takes: 'text' },
      { name: 'reporter', takes: 'text' },
      { name: 'blockedBy', takes: 'records', of: 'ticket' },
      { name: 'duplicateOf', takes: 'record', of: 'ticket' },
      { name: 'relatedTo', takes: 'records', of: 'ticket' },
      { name: 'objectiveIds', takes: 'records', of: 'objective' },
    ],
  },
  resource: {
    prefix: 'res', plural: 'resources', named: 'name',
    fields: [
      { name: 'name', takes: 'text' },
      { name: 'role', takes: 'choice', choices: ['ENGINEER', 'DESIGNER', 'PM', 'QA'] },
      { name: 'email', takes: 'text' },
      { name: 'capacity', takes: 'number' },
      { name: 'availability', takes: 'number' },
      { name: 'away', takes: 'list' },
      { name: 'skills', takes: 'list' },
      { name: 'aliases', takes: 'list' },
    ],
  },
  thread: {
    prefix: 'thr', plural: 'threads', named: 'title',
    fields: [
      { name: 'title', takes: 'text' },
      { name: 'lifecycle', takes: 'choice', choices: ['DRAFT', 'ACTIVE', 'CLOSED'] },
      { name: 'date', takes: 'date' },
      { name: 'attendees', takes: 'list' },
      { name: 'summary', takes: 'area' },
      { name: 'openQuestions', takes: 'list' },
      { name: 'content', takes: 'area' },
    ],
  },
  blindspot: {
    prefix: 'bsp', plural: 'blindspots',
    fields: [
      { name: 'title', takes: 'text' },
      { name: 'severity', takes: 'choice', choices: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] },
      { name: 'status', takes: 'choice', choices: ['OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'DISMISSED'] },
      { name: 'owner', takes: 'text' },
      { name: 'description', takes: 'area' },
    ],
  },
  phase: {
    prefix: 'phs', plural: 'phases', named: 'name',
    fields: [
      { name: 'name', takes: 'text' },
      { name: 'status', takes: 'choice', choices: ['NOT_STARTED', 'PENDING', 'ACTIVE', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED'] },
      { name: 'startDate', takes: 'date' },
      { name: 'endDate', takes: 'date' },
      { name: 'sortOrder', takes: 'number' },
      { name: 'description', takes: 'area' },
      { name: 'entryCriteria', takes: 'list' },
      { name: 'exitCriteria', takes: 'list' },
    ],
  },
  milestone: {
    prefix: 'mls', plural: 'milestones', named: 'name',
    fields: [
      { name: 'name', takes: 'text' },
      { name: 'status', takes: 'choice', choices: ['UPCOMING', 'ON_TRACK', 'AT_RISK', 'MISSED', 'COMPLETED'] },
      { name: 'targetDate', takes: 'date' },
      { name: 'actualDate', takes: 'date' },
      { name: 'owner', takes: 'text' },
      { name: 'phaseId', takes: 'record', of: 'phase' },
      { name: 'description', takes: 'area' },
      { name: 'ticketIds', takes: 'records', of: 'ticket' },
    ],
  },
  sprint_plan: {
    prefix: 'spr', plural: 'sprint-plans', named: 'name',
    fields: [
      { name: 'name', takes: 'text' },
      { name: 'status', takes: 'choice', choices: ['PLANNED', 'ACTIVE', 'CLOSED'] },
      { name: 'startDate', takes: 'date' },
      { name: 'endDate', takes: 'date' },
      { name: 'goal', takes: 'area' },
    ],
  },
  checklist: {
    prefix: 'chk', plural: 'checklists',
    fields: [
      { name: 'name', takes: 'text' },
      { name: 'phaseId', takes: 'record', of: 'phase' },
      { name: 'ticketIds', takes: 'records', of: 'ticket' },
    ],
  },
  idea: {
    prefix: 'ida', plural: 'ideas',
    fields: [
      { name: 'title', takes: 'text' },
      { name: 'status', takes: 'choice', choices: ['NEW', 'REVIEWED', 'PROMOTED', 'ARCHIVED'] },
      { name: 'tags', takes: 'list' },
      { name: 'content', takes: 'area' },
    ],
  },
  reminder: {
    prefix: 'rem', plural: 'reminders',
    fields: [
      { name: 'message', takes: 'text' },
      { name: 'triggerAt', takes: 'moment' },
      { name: 'condition', takes: 'text' },
      { name: 'recurring', takes: 'check' },
      { name: 'intervalSeconds', takes: 'number' },
      { name: 'weekdays', takes: 'check' },
      { name: 'monthDay', takes: 'number' },
      { name: 'timezone', takes: 'text' },
    ],
  },
  link: {
    prefix: 'lnk', plural: 'links',
    fields: [
      { name: 'title', takes: 'text' },
      { name: 'url', takes: 'text' },
      { name: 'category', takes: 'text' },
      { name: 'description', takes: 'text' },
      { name: 'pinned', takes: 'check' },
      { name: 'tags', takes: 'list' },
    ],
  },
}

/** prefixes are how the ids of all kinds begin. */
export const prefixes = ['asg', 'bsp', 'chk', 'clt', 'cmt', 'dlt', 'ida', 'int', 'lnk', 'mem', 'mls', 'obj', 'phs', 'prj', 'rcn', 'rem', 'res', 'spr', 'thr', 'tkt', 'upl']
