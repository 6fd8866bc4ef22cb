import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, must, type Schemas } from '../api/client'
import { useMe } from './me'

export type Conversation = Schemas['SessionView']

/** untitled is what a conversation is called before anything is said in it. */
export const untitled = 'New conversation'

/** conversationsQuery asks for the conversations of a project, those of all when it is empty. */
export const conversationsQuery = (project: string) => queryOptions({
  queryKey: ['conversation', 'list', project],
  queryFn: () => must(api.GET('/api/conversations', { params: { query: { project: project || undefined, limit: 200 } } })),
})

/** useConversations lists the conversations of a project, the latest first. */
export function useConversations(project: string) {
  return useQuery(conversationsQuery(project))
}

/** useMyName is how the log calls the person who is logged in. */
export function useMyName(): string {
  const me = useMe()
  return me ? `agent:person/${me.id}` : ''
}

/** directLine is the conversation of a person with an agent alone, if there is an open one. */
export function directLine(all: Conversation[], agent: string, me: string): Conversation | undefined {
  return all.find((c) => c.agent === `agent:${agent}` && c.person === me && !c.closed)
}

/** nextUnread is the conversation after the one that is open in which something is new, the first of all after the last. */
export function nextUnread(all: Conversation[], open: string): Conversation | undefined {
  const at = all.findIndex((c) => c.id === open)
  return [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))].find((c) => c.unread > 0)
}
