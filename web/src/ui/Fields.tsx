import type { Schemas } from '../api/client'
import { shown, spoken } from '../lib/changes'
import { pieces } from '../lib/cite'
import { useProject } from '../lib/project'
import { useTitles } from '../lib/titles'
import { Ids } from './Ids'

/** Fields shows what is different, field by field: before → after. most bounds how many. */
export function Fields(p: { of: Schemas['DeskFieldDiff'][] | null | undefined; most?: number }) {
  const all = (p.of ?? []).filter((f) => f.field !== 'sources' && f.field !== 'imported')
  const some = all.slice(0, p.most ?? all.length)
  const titles = useTitles(useProject(), some.flatMap((f) => [f.from, f.to]).flatMap((v) => pieces(shown(v))).flatMap((x) => x.id ?? []))
  return (
    <>
      {some.map((f) => (
        <div key={f.field} className="wrap-anywhere">
          <span className="text-muted">{spoken(f.field)}</span>{' '}
          {shown(f.from) !== '' && <><s className="text-muted decoration-danger"><Ids text={shown(f.from)} titles={titles} /></s> → </>}
          {shown(f.to) === '' ? <span className="text-muted">nothing</span> : <Ids text={shown(f.to)} titles={titles} />}
        </div>
      ))}
      {all.length > some.length && <span className="text-muted">and {all.length - some.length} more</span>}
    </>
  )
}
