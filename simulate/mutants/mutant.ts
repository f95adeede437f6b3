/** A defect that somebody could make; the simulator or the fuzzer must find it. */
export interface Mutant {
  name: string
  edits: readonly Edit[]
  /** Who looks for it; the simulator unless it says otherwise. */
  by?: 'simulate' | 'fuzz'
  /** The faults without which nobody would feel it. */
  faults?: string
  /** Nobody would feel it but on a Citus cluster. */
  onCitus?: boolean
  /** How it is found fast. */
  servers?: number
  workers?: number
  clients?: number
  accounts?: number
}

/** A change of one place in the source. */
export interface Edit {
  /** The text that is replaced, wherever in `src` it is. White space and line breaks match any others. */
  find: string
  replace: string
  /** The top-level declaration that holds it, where the text alone has several places. */
  within: string | null
}

export const edit = (find: string, replace: string): Edit => ({ find, replace, within: null })

export const editWithin = (declaration: string, find: string, replace: string): Edit => ({
  find,
  replace,
  within: declaration,
})
