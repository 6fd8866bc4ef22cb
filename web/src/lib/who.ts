import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, must } from '../api/client'

/** personsQuery asks for the persons. */
export const personsQuery = queryOptions({ queryKey: ['person'], queryFn: () => must(api.GET('/api/persons')) })

/** usePersons lists the persons. */
export function usePersons() {
  return useQuery(personsQuery)
}

/** nameOf is how people call a sender: a person by their name, an agent by its own. */
export function nameOf(sender: string | undefined, persons: { id: string; name: string }[]): string {
  const name = (sender ?? '').replace(/^agent:/, '')
  return persons.find((p) => `person/${p.id}` === name)?.name ?? name
}

/** useWho names senders. */
export function useWho(): (sender: string | undefined) => string {
  const { data } = usePersons()
  return (sender) => nameOf(sender, data ?? [])
}
