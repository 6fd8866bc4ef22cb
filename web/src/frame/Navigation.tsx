import { Link } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { groups } from '../views'
import { Rail } from './Rail'

/** Navigation lists the views; a click goes there in the pane that has the focus. It has its place at once, and what is in it is drawn after the view. */
export function Navigation({ onGone }: { onGone: () => void }) {
  const drawn = useDeferredValue(true, false)
  return (
    <nav aria-label="Views" id="views">
      {drawn && <div className="lists">
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
      </div>}
    </nav>
  )
}
