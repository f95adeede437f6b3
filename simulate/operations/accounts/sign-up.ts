import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import { cookieOf, now } from '../../clients/http-connection.ts'
import { HASHING_TIMEOUT_FACTOR } from '../../clients/people.ts'
import type { Invitation } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import { withdrawInvitation } from './invitations.ts'
import { newSession } from './sessions.ts'

/** Milliseconds between attempts, below the limit of attempts from one address. */
const INTERVAL_MS = 12_000

/** Two concurrent sign-ups with one key, sometimes during its revocation, create at most one account. */
export async function useInvitation(client: Client): Promise<void> {
  const { random, world } = client
  const { invitations } = world.people
  if (invitations.length === 0 || !world.people.isDue('sign up', INTERVAL_MS, now())) return
  const invitation = random.pick(invitations.slice(-3))
  const { second } = client
  const isWithdrawn = random.chance(0.3)
  await Promise.all([
    signUp(client, invitation),
    random.chance(0.7) ? signUp(second, invitation) : null,
    isWithdrawn ? withdrawInvitation(second.second, invitation) : null,
  ])
  const { used } = invitation
  assert(
    used <= 1,
    () => `an invitation was used ${used} times`,
    () => invitation,
  )
}

async function signUp(client: Client, invitation: Invitation): Promise<void> {
  const { world } = client
  world.count('sign up')
  const email = (invitation.email ?? `${world.nextName('person')}@example.com`).toLowerCase()
  const password = world.nextName('pass word')
  const wasEnded = invitation.end.lowerBound > 0
  const { done } = invitation.end.write(1)
  invitation.unknown++
  const body = JSON.stringify({ email, name: 'Somebody', password, invitation: invitation.key })
  const path = '/api/auth/sign-up/email'
  const timeoutFactor = HASHING_TIMEOUT_FACTOR
  const reply = await client.send(null, { method: 'POST', path, body, cookie: '', timeoutFactor })
  const outcome = outcomeOf(reply)
  // A step after the creation of the account may fail alone, and its error is then about that step.
  if (outcome === 'unknown' || (reply.kind === 'answer' && reply.status >= 500)) {
    world.people.unknown++
    return
  }
  invitation.unknown--
  if (reply.kind !== 'answer' || reply.status === 429) return
  const about = () => ({ invitation, reply })
  if (reply.status === 200) {
    assert(!wasEnded, () => 'a used or revoked invitation created an account', about)
    invitation.used++
    done()
    const session = newSession(email, cookieOf(reply))
    const { id } = parse(reply.text).user as { id: string }
    world.people.add({ email, password, userId: id, sessions: [session], isBusy: false, changes: 0 })
    return
  }
  const { used, unknown, withdrawal } = invitation
  const mayBeOver = used + unknown > 0 || withdrawal !== null
  assert(reply.status === 404 && mayBeOver, () => `signing up was answered ${reply.status}`, about)
}
