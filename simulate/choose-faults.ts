import { FAULTS } from './faults/faults.ts'
import type { RealFault } from './faults/moments.ts'
import type { Plan } from './plan.ts'

/**
 * Chooses faults by name. With `all`, faults that this machine cannot inject are left out and reported, and faults of
 * a cluster are left out without a cluster.
 */
export function chooseFaults(
  { faults: list, citus }: Pick<Plan, 'faults' | 'citus'>,
  say: (line: string) => void,
): RealFault[] {
  if (list === 'none') return []
  const here = FAULTS.filter(({ need }) => need !== 'shard nodes' || citus !== undefined)
  const names = list === 'all' ? here.map(({ name }) => name) : list.split(',')
  return names.flatMap((name) => {
    const fault = here.find((fault) => fault.name === name)
    if (!fault && FAULTS.some((fault) => fault.name === name))
      throw new Error(`${name} cannot be done here: it takes --citus`)
    if (!fault)
      throw new Error(`there is no fault ${name}; there are: ${FAULTS.map(({ name }) => name).join(', ')}`)
    const why = fault.unavailable()
    if (why === null) return [fault]
    if (list !== 'all') throw new Error(`${name} cannot be done here: ${why}`)
    say(`${name} is left out: ${why}`)
    return []
  })
}
