/** Choice is one of a few, each with its key. */
export function Choice(p: { name: string; of: { value: string; title: string; key?: string }[]; value: string; onChange: (to: string) => void }) {
  return (
    <fieldset className="flex gap-1" aria-label={p.name}>
      {p.of.map((c) => (
        <button key={c.value} type="button" aria-pressed={c.value === p.value} onClick={() => p.onChange(c.value)} className="border-transparent! bg-transparent! px-2! py-0! text-muted! aria-pressed:border-line! aria-pressed:bg-selected! aria-pressed:text-strong!">
          {c.title} {c.key && <kbd>{c.key}</kbd>}
        </button>
      ))}
    </fieldset>
  )
}
