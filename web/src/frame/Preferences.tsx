import { useLook } from '../lib/colours'
import { sizeFont } from '../lib/fontsize'
import { setTheme, size, type Theme, theme, themes } from '../lib/look'
import { type Form, forms, setForm, useForm } from '../lib/when'
import { Menu } from '../ui/Menu'

const names: { [theme in Theme]: string } = { terminal: 'Terminal', light: 'Light', contrast: 'High contrast' }
const sizes = { 11: 'Small', 13: 'Usual', 15: 'Large', 18: 'Very large' }

/** Preferences chooses the look, the way in which dates are written, and the size of the letters. */
export function Preferences() {
  useLook() // so that the choice that holds is marked
  const dates = useForm()
  return (
    <Menu
      className="plain" shows={<>theme <kbd>T</kbd></>}
      groups={[
        { name: 'Theme', value: theme(), onChange: (to) => setTheme(to as Theme), of: themes.map((t) => ({ value: t, title: names[t] })) },
        { name: 'Dates', value: dates, onChange: (to) => setForm(to as Form), of: Object.entries(forms).map(([value, title]) => ({ value, title })) },
        { name: 'Letters', value: String(size()), onChange: (to) => Number(to) !== size() && sizeFont(Number(to) - size()), of: Object.entries(sizes).map(([value, title]) => ({ value, title, hint: `${value} px` })) },
      ]}
    />
  )
}
