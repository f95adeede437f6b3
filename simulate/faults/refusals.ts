import type { Random } from '../random.ts'
import { arm, countRaised, disarm, lingerIn } from '../stage/armed.ts'
import { possible, type RealFault, wait } from './moments.ts'

/** One SQLSTATE of each class that the service may treat differently. */
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

const armed = (name: string, stateOf: (random: Random) => string, what: string): RealFault => ({
  name,
  unavailable: possible,
  strike: async (stage, random, signal) => {
    const nodes = [stage.postgres, ...stage.shardNodes]
    const share = random.pick([0.02, 0.2, 1])
    const before = await countRaised(nodes)
    const end = stage.untilCalm(() => disarm(nodes))
    try {
      await arm(nodes, stateOf(random), share)
      await wait(random.int(200, 1_200), signal)
      const raised = (await countRaised(nodes)) - before
      return raised === 0 ? null : `${raised} statements ${what}`
    } finally {
      await end()
    }
  },
})

/** Writing statements fail, at random or all. */
export const REFUSALS: readonly RealFault[] = STATES.map(([state, meaning]) =>
  armed(`refused-${state}`, () => state, `refused with ${state} (${meaning})`),
)

/** Writes stay uncommitted for up to a third of a second: readers do not see them, and see them late. */
export const commitsLinger = armed(
  'commits-linger',
  (random) => lingerIn(random.pick(['claims', 'customers', 'claim_events'])),
  'held up before their commit',
)
