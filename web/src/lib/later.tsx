import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react'

/** Later is a component that is fetched when it is first shown, or when fetch is called. */
export type Later<Props> = ComponentType<Props> & { fetch: () => Promise<unknown> }

/**
 * later is a component that is fetched when it is first shown; nothing is in its place until
 * then. React's lazy would hold it back for 300 ms after that, the time between two reveals.
 */
export function later<Props extends object, Name extends string>(load: () => Promise<{ [n in Name]: (p: Props) => ReactNode }>, name: Name): Later<Props> {
  let Loaded: ComponentType<Props> | undefined
  const fetch = async () => {
    Loaded = (await load())[name]
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
