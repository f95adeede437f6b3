import { FAULTS } from './faults/faults.ts'
import type { LocalFault } from './faults/timing.ts'
import type { Plan } from './plan.ts'

/**
 * Chooses faults by name. With `all`, faults that this machine cannot inject are left out and reported, and faults of
 * a cluster are left out without a cluster.
 */
export function chooseFaults(
  { faults: list, citus }: Pick<Plan, 'faults' | 'citus'>,
  log: (line: string) => void,
): LocalFault[] {
  if (list === 'none') return []
  const available = FAULTS.filter(({ requires }) => requires !== 'shard nodes' || citus !== undefined)
  const names = list === 'all' ? available.map(({ name }) => name) : list.split(',')
  return names.flatMap((name) => {
    const fault = available.find((fault) => fault.name === name)
    if (!fault && FAULTS.some((fault) => fault.name === name)) throw new Error(`${name} needs --citus`)
    if (!fault)
      throw new Error(`unknown fault ${name}; the faults are: ${FAULTS.map(({ name }) => name).join(', ')}`)
    const reason = fault.unavailable()
    if (reason === null) return [fault]
    if (list !== 'all') throw new Error(`${name} is unavailable: ${reason}`)
    log(`${name} is skipped: ${reason}`)
    return []
  })
}
