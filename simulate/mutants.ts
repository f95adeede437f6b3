/** A defect that somebody could make; the simulator must find it. */
export interface Mutant {
  name: string
  file: string
  find: string
  replace: string
  /** Faults without which nobody would feel it; none by default. */
  faults?: string
}

export const MUTANTS: readonly Mutant[] = []
