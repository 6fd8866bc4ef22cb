import { Link } from '@tanstack/react-router'
import { groups } from '../lib/views'
import { Rail } from './Rail'

/** Navigation lists the views; a click goes there in the pane that has the focus. */
export function Navigation({ onGone }: { onGone: () => void }) {
  return (
    <nav aria-label="Views" id="views">
      <div className="lists">
        <Rail onGone={onGone} />
        {groups.map((g) => (
          <div key={g.name} className="group">
            <span className="muted" aria-hidden="true">{g.name}</span>
            {g.views.map((v) => (
              <Link key={v.to} to={v.to} onClick={onGone} activeProps={{ 'aria-current': 'page' }} activeOptions={{ exact: v.to === '/', includeSearch: false }}>
                {v.name} <kbd>g {v.key}</kbd>
              </Link>
            ))}
          </div>
        ))}
      </div>
    </nav>
  )
}
