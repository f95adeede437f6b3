import { FAULTS } from './faults/faults.ts'
import type { RealFault } from './faults/moments.ts'

/** Of a list of names. Those that cannot be done here are left out, and said, where all were asked for. */
export function chooseFaults(list: string, say: (line: string) => void): RealFault[] {
  if (list === 'none') return []
  const names = list === 'all' ? FAULTS.map(({ name }) => name) : list.split(',')
  return names.flatMap((name) => {
    const fault = FAULTS.find((fault) => fault.name === name)
    if (!fault)
      throw new Error(`there is no fault ${name}; there are: ${FAULTS.map(({ name }) => name).join(', ')}`)
    const why = fault.unavailable()
    if (why === null) return [fault]
    if (list !== 'all') throw new Error(`${name} cannot be done here: ${why}`)
    say(`${name} is left out: ${why}`)
    return []
  })
}
