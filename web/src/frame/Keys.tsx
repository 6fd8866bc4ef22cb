import { useOffered } from '../lib/pane'
import { useTour } from '../lib/tour'
import { Dialog } from '../ui/Dialog'
import { groups } from '../views'

/** pageKeys are the keys that hold on every view. */
const pageKeys = [
  ['Ctrl K or /', 'the command line: a code, a name, a question'],
  ['Shift Enter', 'in the command line: what is chosen, in a new pane'],
  ['U', 'the next conversation with something new'],
  ['Ctrl Enter', 'import what you wrote, save a form'],
  ['Ctrl Z', 'take back what you did within a minute'],
  ['\\ |', 'divide the pane: beside, below'],
  ['] [', 'the next pane, the one before'],
  ['} {', 'a larger pane, a smaller one'],
  ['Alt Z', 'this pane alone, or all again'],
  ['Alt L', 'link this pane with the others, or let it go'],
  ['Alt X', 'close the pane'],
  ['Alt P', 'the projects: choose one'],
  ['Alt S', 'layouts: open one, or keep this'],
  ['+ - 0', 'larger, smaller, usual letters'],
  ['T', 'the next theme'],
  ['Esc', 'leave a field, so that the keys work'],
  ['?', 'these keys'],
] as const

/** Keys shows the keys of the page, and of the view in a pane, until it is closed. */
export function Keys(p: { pane: string; onClose: () => void }) {
  const here = useOffered(p.pane)
  const { begin } = useTour()
  return (
    <Dialog title="Keys" wide onClose={p.onClose}>
      <div className="grid gap-x-10 gap-y-5 lg:grid-cols-4 [&_h3]:mt-0! [&_p]:my-0.5!">
        {here.length > 0 && (
          <div>
            <h3>This view</h3>
            {here.map((k) => <Key key={k.key} of={k.key.replace('ArrowDown', '↓').replace('ArrowUp', '↑')} does={k.does} />)}
          </div>
        )}
        <div className={here.length > 0 ? 'lg:col-span-3' : 'lg:col-span-4'}>
          <h3>Everywhere</h3>
          <div className="gap-x-10 sm:columns-2">{pageKeys.map(([key, does]) => <Key key={key} of={key} does={does} />)}</div>
          <button type="button" className="mt-2 px-2 py-0" onClick={() => { begin(); p.onClose() }}>Begin the tour: five steps</button>
        </div>
        {groups.map((g) => (
          <div key={g.name}>
            <h3>{g.name}</h3>
            {g.views.map((v) => (
              <p key={v.key} className="grid grid-cols-[4ch_7ch_auto] items-baseline"><kbd>g {v.key}</kbd> <kbd>{v.code}</kbd> {v.name}</p>
            ))}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

function Key(p: { of: string; does: string }) {
  return <p className="grid grid-cols-[13ch_minmax(0,1fr)] items-baseline break-inside-avoid"><kbd>{p.of}</kbd> <span>{p.does}</span></p>
}
