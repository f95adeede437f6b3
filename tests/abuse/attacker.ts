import { setPriority } from 'node:os'
import type { Target } from './attack.ts'
import { ATTACKS } from './catalogue.ts'
import { seen } from './wire.ts'

/*
 * The attacker, a process of its own. Its first message names the attack and the target, the second ends the attack,
 * and the third the process, with all its connections; so does the end of whoever started it.
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

async function attack({ name, target }: { name: string; target: Target }): Promise<void> {
  const chosen = ATTACKS.find((attack) => attack.name === name)
  if (!chosen) throw new Error(`there is no attack ${name}`)
  await chosen.run(target, ending.signal)
}

// Thousands of connections listen to it.
process.setMaxListeners(0)
setPriority(LOW_PRIORITY)
process.once('disconnect', () => process.exit())
process.once('message', (order: { name: string; target: Target }) => {
  process.once('message', () => {
    ending.abort()
    tell(null)
    process.once('message', () => process.exit())
  })
  attack(order).catch((error: Error) => tell(error.stack ?? error.message))
})
