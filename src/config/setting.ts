export interface Setting<T, F extends string | null> {
  name: string
  /** As the environment would give it; null if there is none. */
  fallback: F
  doc: string
  /** Throws a message that completes "NAME must be …". */
  parse: (text: string) => T
}

export const setting = <T, F extends string | null>(definition: Setting<T, F>): Setting<T, F> => definition
