/** Undo says what was removed, and brings it back. */
export function Undo(p: { what: string | undefined; onUndo: () => void }) {
  if (p.what === undefined) return null
  return <p role="status" className="border border-line bg-panel px-3 py-1">Removed: {p.what} <button type="button" className="px-2 py-0" onClick={p.onUndo}>Undo <kbd>u</kbd></button></p>
}
