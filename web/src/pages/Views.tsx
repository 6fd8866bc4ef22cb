import { Link, useNavigate } from '@tanstack/react-router'
import { useRows } from '../lib/rows'
import { groups, views } from '../views'

/** Views lists all views with their keys and codes. */
export function Views() {
  const navigate = useNavigate()
  const { row } = useRows(views.map((v) => v.to), { Enter: { does: 'open the view', act: (to) => void navigate({ to } as never) } })
  return (
    <section>
      <h2>All views</h2>
      <p className="muted">A key or a code opens each from anywhere: press <kbd>g</kbd> and its letter, or <kbd>Ctrl K</kbd> and its code or name.</p>
      <div className="grid items-start gap-x-8 @2xl:grid-cols-2 @6xl:grid-cols-4">
        {groups.map((g) => (
          <div key={g.name}>
            <h3>{g.name}</h3>
            {g.views.map((v) => {
              const { className, ...place } = row(v.to)
              return (
                <div key={v.to} {...place} className={`grid grid-cols-[4ch_6ch_minmax(0,1fr)] gap-x-3 border-b border-line px-2 py-1 ${className}`}>
                  <kbd>g {v.key}</kbd><span className="text-sm text-accent">{v.code}</span>
                  <span><Link to={v.to} className="text-strong!">{v.name}</Link>{v.also && <span className="block text-sm text-muted">{v.also}</span>}</span>
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </section>
  )
}
