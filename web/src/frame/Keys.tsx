import { useOffered } from '../lib/pane'
import { groups } from '../views'

/** pageKeys are the keys that hold on every view. */
const pageKeys = [
  ['Ctrl K or /', 'the command line: a code, a name, a question'],
  ['Shift Enter', 'in the command line: what is chosen, in a new pane'],
  ['U', 'the next conversation with something new'],
  ['Ctrl Enter', 'take in what you wrote'],
  ['\\ |', 'divide the pane: beside, below'],
  ['] [', 'the next pane, the one before'],
  ['} {', 'a larger pane, a smaller one'],
  ['Alt Z', 'this pane alone, or all again'],
  ['Alt L', 'link this pane with the others, or let it go'],
  ['Alt X', 'close the pane'],
  ['Alt P', 'the projects: choose one'],
  ['Alt S', 'layouts: open one, or keep this'],
  ['+ - 0', 'larger, smaller, usual letters'],
  ['T', 'the next look'],
  ['Esc', 'leave a field, so that the keys work'],
  ['?', 'these keys'],
] as const

/** Keys shows the keys of the page, and of the view in a pane, until it is closed. */
export function Keys(p: { pane: string; onClose: () => void }) {
  const here = useOffered(p.pane)
  return (
    <dialog aria-label="Keys" ref={(d) => { if (d && !d.open) d.showModal() }} onClose={p.onClose}>
      <h2>Keys</h2>
      <div className="flex flex-wrap gap-x-8 gap-y-2">
        {groups.map((g) => (
          <div key={g.name}>
            <h3>{g.name}</h3>
            {g.views.map((v) => (
              <p key={v.key} className="grid grid-cols-[4ch_7ch_auto]"><kbd>g {v.key}</kbd> <kbd>{v.code}</kbd> {v.name}</p>
            ))}
          </div>
        ))}
        {here.length > 0 && (
          <div>
            <h3>This view</h3>
            {here.map((k) => <p key={k.key} className="grid grid-cols-[13ch_auto]"><kbd>{k.key.replace('ArrowDown', '↓').replace('ArrowUp', '↑')}</kbd> {k.does}</p>)}
          </div>
        )}
        <div>
          <h3>Everywhere</h3>
          {pageKeys.map(([key, what]) => <p key={key} className="grid grid-cols-[13ch_auto]"><kbd>{key}</kbd> {what}</p>)}
        </div>
      </div>
      <button type="button" onClick={p.onClose}>Close</button>
    </dialog>
  )
}
