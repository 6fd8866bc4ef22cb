import { Question } from '../../ui/Question'
import { type Approval, useAnswer } from './answer'

/** Asked is a question where its run is shown; answered, it says so until the run goes on. */
export function Asked(p: { question: Approval; chosen?: boolean }) {
  const answer = useAnswer()
  return <Question question={p.question} busy={answer.isPending} refused={answer.error?.message} chosen={p.chosen ?? false} onAnswer={(body) => answer.mutate({ question: p.question, body })} />
}
