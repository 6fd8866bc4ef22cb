import type { Schemas } from '../api/client'
import { count } from './count'
import { day } from './when'

type Forecast = Schemas['ForecastForecast']

/** likely is the percent that is said first. */
const likely = 85

/** foretold says a forecast in sentences; none where nothing is forecast. */
export function foretold(f: Forecast): string[] {
  const what = f.open === 1 ? 'the open ticket is' : `all ${f.open} open tickets are`
  const out: string[] = []
  if (f.until && f.percent !== undefined) {
    const least = (f.byThen ?? []).find((l) => l.percent === likely && l.tickets > 0 && l.tickets < f.open)
    out.push(`By ${day(f.until)}: ${f.percent} % likely ${what} done${least ? `; ${likely} % likely ${least.tickets} or more` : ''}.`)
  }
  const [first, ...rest] = f.dates ?? []
  const said = [first, ...rest].find((d) => d?.percent === likely)
  if (said) out.push(`${likely} % likely ${what} done by ${day(said.day)}${first && first.day !== said.day ? `, ${first.percent} % by ${day(first.day)}` : ''}.`)
  if (out.length > 0) out.push(`From ${count(f.finished, 'ticket')} done between ${day(f.from ?? '')} and ${day(f.to ?? '')}, ${f.perWeek} a week; ${f.createdPerWeek} a week came.`)
  return out
}
