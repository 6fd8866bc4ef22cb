import type { QueryClient } from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react'

/** Ask asks what a view shows first of a project; it is over when that is known. */
export type Ask = (queries: QueryClient, project: string) => Promise<unknown>

/** Load fetches the file of a component. A view's file may also say what the view asks first. */
export type Load<Name extends string, Props> = () => Promise<{ [n in Name]: (p: Props) => ReactNode } & { askFirst?: Ask }>

/** Later is a component that is fetched when it is first shown, or when fetch is called. */
export type Later<Props> = ComponentType<Props> & { fetch: () => Promise<Ask | undefined> }

/**
 * later is a component that is fetched when it is first shown; nothing is in its place until
 * then. React's lazy would hold it back for 300 ms after that, the time between two reveals.
 */
export function later<Props extends object, Name extends string>(load: Load<Name, Props>, name: Name): Later<Props> {
  let Loaded: ComponentType<Props> | undefined
  const fetch = async () => {
    const file = await load()
    Loaded = file[name]
    return file.askFirst
  }
  function Later(props: Props) {
    const [, drawAgain] = useReducer((n: number) => n + 1, 0)
    const [failed, setFailed] = useState<Error>()
    useEffect(() => {
      if (!Loaded) fetch().then(drawAgain, setFailed)
    }, [])
    if (failed) throw failed
    return Loaded ? <Loaded {...props} /> : null
  }
  return Object.assign(Later, { fetch })
}
