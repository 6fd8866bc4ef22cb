import { useState } from 'react'
import type { Head } from '../../ui/LongTable'
import type { Ticket } from './useTickets'

/** Column is a column of the table of tickets: the field that it is sorted by, and whether a ticket has something in it. */
export type Column = Head & { by: string; has: (t: Ticket) => boolean }

/** columns are those of the table. */
export const columns: Column[] = [
  { name: 'Key', by: 'externalRef', has: (t) => Boolean(t.body.externalRef) },
  { name: 'Title', by: 'title', width: 'rest', has: () => true },
  { name: 'Status', by: 'status', has: () => true },
  { name: 'Priority', by: 'priority', from: 52, has: (t) => Boolean(t.body.priority) },
  { name: 'Points', by: 'points', from: 64, has: (t) => t.body.storyPoints !== undefined },
  { name: 'Owner', by: '', width: 'name', has: (t) => Boolean(t.owner) },
  { name: 'Due', by: 'due', from: 40, has: (t) => Boolean(t.body.dueDate) },
  { name: 'Sprint', by: 'sprint', width: 'name', from: 80, has: (t) => Boolean(t.body.sprint) },
]

/** Chosen says which columns a person wants, and which not; the others are shown when something is in them. */
export type Chosen = { [name: string]: boolean }

/** shown are the columns that are wanted, or in which some ticket has something. */
export function shown(all: Column[], chosen: Chosen, tickets: Ticket[]): Column[] {
  return all.filter((c) => c.name === 'Title' || (chosen[c.name] ?? (tickets.length === 0 || tickets.some(c.has))))
}

const key = 'chela-columns'

/** kept reads what this browser keeps; what cannot be read is nothing. */
function kept(): Chosen {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Chosen
  } catch {
    return {}
  }
}

/** useChosen is what the person chose, and how to choose; this browser keeps it. */
export function useChosen(): [Chosen, (name: string, wanted: boolean) => void] {
  const [chosen, setChosen] = useState(kept)
  return [chosen, (name, wanted) => {
    const next = { ...chosen, [name]: wanted }
    localStorage.setItem(key, JSON.stringify(next))
    setChosen(next)
  }]
}
