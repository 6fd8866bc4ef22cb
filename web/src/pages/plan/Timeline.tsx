import { Link } from '@tanstack/react-router'
import { at, type Entry, lateness, type Span, spanOf, ticks } from '../../lib/timeline'
import type { useRows } from '../../lib/rows'
import { useWidth } from '../../lib/width'

const height = 26 // of a row, in pixels

/** tones are the colours of phases and milestones, by status. */
const tones: { [status: string]: string } = { COMPLETED: 'up', ACTIVE: 'live', IN_PROGRESS: 'live', BLOCKED: 'danger', ON_TRACK: 'live', AT_RISK: 'warn', MISSED: 'danger' }

type Scale = { width: number; today: number; marks: number[]; x: (day: number) => number }

function scaleOf(s: Span, width: number, today: string, marks: number[]): Scale {
  return { width, today: at(today), marks, x: (day) => ((day - s.from) / (s.to - s.from)) * width }
}

/** Ground draws the lines of the scale and today's, in one row. */
function Ground({ scale: s }: { scale: Scale }) {
  return (
    <>
      {s.marks.map((m) => <line key={m} x1={s.x(m)} x2={s.x(m)} y1="0" y2={height} stroke="var(--color-line)" strokeWidth="1" opacity=".6" />)}
      <line x1={s.x(s.today)} x2={s.x(s.today)} y1="0" y2={height} stroke="var(--color-warn)" strokeWidth="1.5" strokeDasharray="4 3" />
    </>
  )
}

/** Strip draws one phase as a bar, or one milestone as a diamond with the way from its day to when it was reached. */
function Strip({ of: e, scale: s, late }: { of: Entry; scale: Scale; late: boolean }) {
  const fill = `var(--color-${late ? 'danger' : (tones[e.status] ?? 'muted')})`
  const mid = height / 2
  const diamond = (x: number, hollow: boolean) => (
    <path d={`M${x} ${mid - 7}L${x + 7} ${mid}L${x} ${mid + 7}L${x - 7} ${mid}Z`} fill={hollow ? 'var(--color-bg)' : fill} stroke={fill} strokeWidth="1.5" />
  )
  const from = at(e.from)
  const to = at(e.to)
  const reached = at(e.reached)
  const known = e.kind === 'phase' ? !Number.isNaN(from) || !Number.isNaN(to) : !Number.isNaN(to)
  const left = s.x(Number.isNaN(from) ? to : from)
  const right = s.x((Number.isNaN(to) ? from : to) + 1)
  return (
    <svg width={s.width} height={height} aria-hidden="true" className="block">
      <Ground scale={s} />
      {e.kind === 'phase' && known && (
        <>
          <rect x={left} y="6" width={Math.max(3, right - left)} height={height - 12} fill={fill} opacity={e.status === 'COMPLETED' ? 0.35 : e.status === 'NOT_STARTED' || e.status === 'PENDING' ? 0.25 : 0.7} />
          <rect x={left} y="6" width={Math.max(3, right - left)} height={height - 12} fill="none" stroke={fill} />
        </>
      )}
      {e.kind === 'milestone' && known && (
        <>
          {!Number.isNaN(reached) && reached !== to && <line x1={s.x(to)} x2={s.x(reached)} y1={mid} y2={mid} stroke={fill} strokeWidth="1.5" />}
          {late && e.status !== 'COMPLETED' && <line x1={s.x(to)} x2={s.x(s.today)} y1={mid} y2={mid} stroke={fill} strokeWidth="2" strokeDasharray="2 2" />}
          {diamond(s.x(to), e.status !== 'COMPLETED')}
          {!Number.isNaN(reached) && reached !== to && diamond(s.x(reached), false)}
        </>
      )}
      {!known && <text x="4" y={mid + 4} fill="var(--color-muted)" fontSize="11">no day yet</text>}
    </svg>
  )
}

/** Timeline shows phases and milestones over the days, one row each; what is late is marked. */
export function Timeline(p: { entries: Entry[]; today: string; row: ReturnType<typeof useRows>['row'] }) {
  const [measure, width] = useWidth()
  const span = spanOf(p.entries.flatMap((e) => [e.from, e.to, e.reached]), p.today)
  const named = ticks(span, Math.max(2, Math.floor(width / 76)))
  const scale = scaleOf(span, width, p.today, named.map((t) => t.at))
  const columns = 'grid grid-cols-[minmax(0,1fr)] @2xl:grid-cols-[34ch_minmax(0,1fr)]'
  return (
    <div className="my-3 border border-line">
      <div className={`${columns} border-b border-line`} aria-hidden="true">
        <span className="hidden px-2 text-muted @2xl:block">Phase, milestone</span>
        <div ref={measure} className="min-w-0">
          <svg width={width} height={height} aria-hidden="true" className="block">
            <Ground scale={scale} />
            {named.filter((t) => scale.x(t.at) < width - 52).map((t) => <text key={t.at} x={scale.x(t.at) + 4} y={height / 2 + 4} fill="var(--color-muted)" fontSize="11">{t.name}</text>)}
          </svg>
        </div>
      </div>
      <ul aria-label="Timeline" className="m-0 list-none p-0">
      {p.entries.map((e) => {
        const late = lateness(e, p.today)
        const { className, ...place } = p.row(e.id)
        return (
          <li key={e.id} {...place} className={`${columns} ${className}`}>
            <span className={`flex min-w-0 items-center gap-2 px-2 ${e.kind === 'milestone' ? '@2xl:pl-5' : ''}`}>
              <Link to="/records/$id" params={{ id: e.id }} className={`truncate ${e.kind === 'phase' ? 'font-bold' : ''}`}>{e.name}</Link>
              {late !== '' && <span className="ml-auto shrink-0 text-danger" title={late}>{late.replace(/ days?/, ' d').replace('reached ', '').replace('over its end', 'over').replace(/was to begin (.*) ago/, '$1 late')}</span>}
            </span>
            <Strip of={e} scale={scale} late={late !== ''} />
          </li>
        )
      })}
      </ul>
    </div>
  )
}
