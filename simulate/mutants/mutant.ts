/** A defect that mutation testing puts into a copy of the source. The simulator or the fuzzer must find it. */
export interface Mutant {
  name: string
  edits: readonly Edit[]
  /** The program that must find it. Default: the simulator. */
  by?: 'simulate' | 'fuzz'
  /** Faults without which the defect cannot be found. */
  faults?: string
  /** The defect can be found only on a Citus cluster. */
  onCitus?: boolean
  /** Options that find it fast. */
  servers?: number
  workers?: number
  clients?: number
  accounts?: number
}

/** A change of one place in the source. */
export interface Edit {
  /** The replaced text, in any file of `src`. White space matches any white space. */
  find: string
  replace: string
  /** The top-level declaration that contains the text, if the text alone occurs more than once. */
  within: string | null
}

export const edit = (find: string, replace: string): Edit => ({ find, replace, within: null })

export const editWithin = (declaration: string, find: string, replace: string): Edit => ({
  find,
  replace,
  within: declaration,
})
