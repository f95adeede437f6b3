import type { Random } from '../random.ts'
import { arm, countTriggered, delayCommitsIn, disarm } from '../testbed/fault-triggers.ts'
import { alwaysAvailable, type LocalFault, wait } from './timing.ts'

/** One SQLSTATE of each class that the service may treat differently. */
const STATES = [
  ['40001', 'cannot be serialized'],
  ['40P01', 'deadlock'],
  ['53100', 'disk full'],
  ['53300', 'too many connections'],
  ['57014', 'cancelled'],
  ['23505', 'not unique'],
  ['22P02', 'invalid text representation'],
  ['XX000', 'internal error'],
  ['08006', 'connection failure'],
] as const

const armed = (name: string, stateOf: (random: Random) => string, what: string): LocalFault => ({
  name,
  unavailable: alwaysAvailable,
  inject: async (testbed, random, signal) => {
    const nodes = [testbed.postgres, ...testbed.shardNodes]
    const share = random.pick([0.02, 0.2, 1])
    const before = await countTriggered(nodes)
    const end = testbed.onRecover(() => disarm(nodes))
    try {
      await arm(nodes, stateOf(random), share)
      await wait(random.int(200, 1_200), signal)
      const raised = (await countTriggered(nodes)) - before
      return raised === 0 ? null : `${raised} statements ${what}`
    } finally {
      await end()
    }
  },
})

/** Writing statements fail, at random or all. */
export const STATEMENT_ERRORS: readonly LocalFault[] = STATES.map(([state, meaning]) =>
  armed(`refused-${state}`, () => state, `refused with ${state} (${meaning})`),
)

/** Writes stay uncommitted for up to a third of a second: readers do not see them, and see them late. */
export const delayedCommits = armed(
  'commits-linger',
  (random) => delayCommitsIn(random.pick(['claims', 'customers', 'claim_events'])),
  'delayed before their commit',
)
