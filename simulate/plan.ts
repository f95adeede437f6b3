/** The parameters of one run. */
export interface Plan {
  seed: number
  seconds: number
  servers: number
  /** Workers of each server. 1: the server has no separate workers. */
  workers: number
  clients: number
  accounts: number
  patience: number
  /** `all`, `none`, or names separated by commas. */
  faults: string
  /** Runs the servers from src/ instead of dist/. */
  source: boolean
  /** Folder of PostgreSQL programs with Citus. The database is then distributed. */
  citus?: string | undefined
}

/** The arguments that repeat the run. */
export function argumentsOf(plan: Plan): string[] {
  const { seed, seconds, servers, workers, clients, accounts, patience, faults, source, citus } = plan
  const numbers = { seed, seconds, servers, workers, clients, accounts, patience }
  const words = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return [...words, '--faults', faults, ...(source ? ['--source'] : []), ...(citus ? ['--citus', citus] : [])]
}

export const commandOf = (plan: Plan): string => `npm run simulate -- ${argumentsOf(plan).join(' ')}`
