import { arm, countRaised, disarm } from '../stage/armed.ts'
import { possible, type RealFault, wait } from './moments.ts'

/** One of each class that the service may treat in a way of its own. */
const STATES = [
  ['40001', 'cannot be serialized'],
  ['40P01', 'deadlock'],
  ['53100', 'disk full'],
  ['53300', 'too many connections'],
  ['57014', 'cancelled'],
  ['23505', 'not unique'],
  ['22P02', 'not taken as text'],
  ['XX000', 'internal error'],
  ['08006', 'connection failure'],
] as const

const refused = (state: string, meaning: string): RealFault => ({
  name: `refused-${state}`,
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const share = random.pick([0.02, 0.2, 1])
    const before = await countRaised(stage.postgres)
    const end = stage.untilCalm(() => disarm(stage.postgres))
    try {
      await arm(stage.postgres, state, share)
      await wait(random.int(200, 1_200), signal)
      const raised = (await countRaised(stage.postgres)) - before
      return raised === 0 ? null : `${raised} statements refused with ${state} (${meaning})`
    } finally {
      await end()
    }
  },
})

/** Statements that write fail, by chance or all. */
export const REFUSALS: readonly RealFault[] = STATES.map(([state, meaning]) => refused(state, meaning))
