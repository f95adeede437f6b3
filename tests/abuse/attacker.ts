import { setPriority } from 'node:os'
import type { Target } from './attack.ts'
import { ATTACKS } from './catalogue.ts'
import { seen } from './wire.ts'

/*
 * The attacker, a process of its own. Its first message names the attacks and their targets, the second ends them,
 * and the third the process, with all its connections; so does the end of its parent process.
 */

/** A real one has a machine of its own, and takes no processor time from the service. */
const LOW_PRIORITY = 10

const ending = new AbortController()

/** What the attacker saw, and what broke in it. */
export interface Seen {
  counts: Record<string, number>
  error: string | null
}

function tell(error: string | null): void {
  process.send?.({ counts: seen, error } satisfies Seen)
}

/** Attacks that go on at the same time, and what each knows. */
export type Orders = { name: string; target: Target }[]

async function attack(orders: Orders): Promise<void> {
  await Promise.all(
    orders.map(({ name, target }) => {
      const chosen = ATTACKS.find((attack) => attack.name === name)
      if (!chosen) throw new Error(`there is no attack ${name}`)
      return chosen.run(target, ending.signal)
    }),
  )
}

// Thousands of connections listen to it.
process.setMaxListeners(0)
setPriority(LOW_PRIORITY)
process.once('disconnect', () => process.exit())
process.once('message', (orders: Orders) => {
  process.once('message', () => {
    ending.abort()
    tell(null)
    process.once('message', () => process.exit())
  })
  attack(orders).catch((error: Error) => tell(error.stack ?? error.message))
})
