import { useNavigate } from '@tanstack/react-router'
import { placeOf } from '../lib/inbox'
import { useTold } from '../lib/told'

/** Told has the browser tell the person of what is new, and shows it when they press that. */
export function Told() {
  const navigate = useNavigate()
  useTold((n) => void navigate(placeOf(n) as never))
  return null
}
