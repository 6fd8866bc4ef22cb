import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, must } from '../../api/client'
import { statusQuery } from '../../lib/status'
import { count } from '../../lib/count'
import { useKeys } from '../../lib/pane'
import { took } from '../../lib/took'

/** Verify checks the chain of every stream, and says what it found. */
export function Verify() {
  const [seconds, setSeconds] = useState(0)
  const status = useQuery(statusQuery)
  const verify = useMutation({ mutationFn: () => must(api.GET('/api/log/verify')) })
  const busy = verify.isPending
  const begin = () => !busy && verify.mutate()
  useKeys([{ key: 'v', does: 'verify the chains', act: begin }])
  useEffect(() => {
    if (!busy) return
    setSeconds(0)
    const timer = setInterval(() => setSeconds((s) => s + 1), 1_000)
    return () => clearInterval(timer)
  }, [busy])
  const v = verify.data
  const findings = v?.findings ?? []
  return (
    <>
      <button type="button" onClick={begin} disabled={busy}>Verify <kbd>v</kbd></button>
      {busy && <span role="status" className="text-muted">Reading {count(status.data?.log_end, 'event')} and hashing each again{seconds > 0 ? `, ${took(seconds * 1_000)}` : ''}…<span aria-hidden="true" className="motion-safe:animate-pulse">▍</span></span>}
      {!busy && v && findings.length === 0 && <span role="status" className="up">{v.events} events in {v.streams} streams verify.</span>}
      {!busy && findings.length > 0 && <span role="alert" className="danger">{findings.map((f) => `${f.stream}: ${f.text}`).join(' ')}</span>}
      {verify.error && <span className="danger" role="alert">{verify.error.message}</span>}
    </>
  )
}
