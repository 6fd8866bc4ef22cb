/** paths are the lines of the icons, in a square of 16. */
const paths = {
  beside: 'M2 3h12v10H2zM8 3v10',
  below: 'M2 3h12v10H2zM2 8h12',
  whole: 'M6 2H2v4M10 2h4v4M6 14H2v-4M10 14h4v-4',
  close: 'M4 4l8 8M12 4l-8 8',
  link: 'M6.5 9.5l3-3M7 4.5l1.2-1.2a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.2 1.2a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  menu: 'M2 4h12M2 8h12M2 12h12',
  today: 'M2 4h12v10H2zM2 7h12M5 2v3M11 2v3',
  tickets: 'M3 3h10v10H3zM5 6h6M5 8h6M5 10h4',
  approve: 'M2 8.5l4 4 8-9',
  chat: 'M2 3h12v8H7l-3 3v-3H2z',
  layout: 'M2 3h12v10H2zM7 3v10M7 8h7',
}

/** Icon is a small drawing beside or instead of a word; what has only an icon needs a name. */
export function Icon(p: { of: keyof typeof paths }) {
  return (
    <svg viewBox="0 0 16 16" className="size-[1.1em] shrink-0" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={paths[p.of]} />
    </svg>
  )
}
