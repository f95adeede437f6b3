/** What one run is made of. */
export interface Plan {
  seed: number
  seconds: number
  servers: number
  /** Of each server; of one it is the server itself. */
  workers: number
  clients: number
  accounts: number
  patience: number
  /** all, none, or names joined by commas. */
  faults: string
  /** The servers run from src/ as it is. */
  source: boolean
  /** The folder of a PostgreSQL's programs, with Citus: the database is then distributed. */
  citus?: string | undefined
}

/** All that makes the same run again. */
export function wordsOf(plan: Plan): string[] {
  const { seed, seconds, servers, workers, clients, accounts, patience, faults, source, citus } = plan
  const numbers = { seed, seconds, servers, workers, clients, accounts, patience }
  const words = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return [...words, '--faults', faults, ...(source ? ['--source'] : []), ...(citus ? ['--citus', citus] : [])]
}

export const commandOf = (plan: Plan): string => `npm run simulate -- ${wordsOf(plan).join(' ')}`
