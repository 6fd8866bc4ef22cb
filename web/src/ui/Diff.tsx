import { type Line, lines } from '../lib/diff'

const looks: { [kind in Line['kind']]: string } = { new: 'bg-up/15 text-up', gone: 'bg-danger/15 text-danger', same: 'text-text', head: 'text-muted' }
const signs: { [kind in Line['kind']]: string } = { new: '+', gone: '-', same: ' ', head: '' }

/** Diff shows a unified diff, line by line, with the numbers of the lines. Signs tell new and gone apart without colours. */
export function Diff({ text, of }: { text: string; of: string }) {
  const all = lines(text)
  const numbered = all.some((l) => l.before !== undefined || l.after !== undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section tabIndex={0} aria-label={`What ${of} would change`} className="my-2 max-h-[45vh] overflow-auto border border-line bg-bg py-1">
      <div className="w-max min-w-full">
        {all.map((l, i) => (
          <div key={i} className={`flex whitespace-pre ${looks[l.kind]}`}>
            {numbered && <span aria-hidden="true" className="w-[9ch] shrink-0 pr-2 text-right text-muted select-none">{l.before ?? ''}{' '.repeat(Math.max(1, 5 - String(l.after ?? '').length))}{l.after ?? ''}</span>}
            <span className="px-2">{signs[l.kind]}{l.text}</span>
          </div>
        ))}
      </div>
    </section>
  )
}
