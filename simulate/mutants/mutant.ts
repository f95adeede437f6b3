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

/** A change of one place; `find` is there exactly once. */
interface Edit {
  file: string
  find: string
  replace: string
}

export const edit = (file: string, find: string, replace: string): Edit => ({
  file: `src/${file}`,
  find,
  replace,
})
