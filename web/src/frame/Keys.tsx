import { views } from '../lib/views'

/** Keys shows the keys of the page until it is closed. */
export function Keys(p: { onClose: () => void }) {
  return (
    <dialog aria-label="Keys" ref={(d) => { if (d && !d.open) d.showModal() }} onClose={p.onClose}>
      <h2>Keys</h2>
      {views.map((v) => (
        <p key={v.key}><kbd>g</kbd> <kbd>{v.key}</kbd> {v.name}</p>
      ))}
      <p><kbd>Ctrl</kbd> <kbd>Enter</kbd> take in what you wrote</p>
      <p><kbd>Esc</kbd> leave a field, so that the keys work</p>
      <button type="button" onClick={p.onClose}>Close <kbd>?</kbd></button>
    </dialog>
  )
}
