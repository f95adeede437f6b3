import type { Client } from '../../clients/client.ts'
import type { Person, Session } from '../../clients/records.ts'
import { changePassword, revokeOthers, revokeSession, signOut } from './end-sessions.ts'
import { lookUpInvitation, withdrawInvitation } from './invitations.ts'
import { listSessions, makeTokenIn, signInAgain, useSession, useTokenOf } from './sessions.ts'
import { useInvitation } from './sign-up.ts'

type Act = (client: Client, person: Person, session: Session) => Promise<void>

const ACTS: [weight: number, act: Act][] = [
  [30, useSession],
  [10, listSessions],
  [10, (client, person) => signInAgain(client, person)],
  [6, (client, _, session) => makeTokenIn(client, session)],
  [10, (client, { userId }, session) => useTokenOf(client, session, userId)],
  [1, signOut],
  [
    2,
    (client, person, session) => revokeSession(client, person, session, client.random.pick(person.sessions)),
  ],
  [1, revokeOthers],
  [2, changePassword],
]
const DRAWN = ACTS.flatMap(([weight, act]) => new Array<Act>(weight).fill(act))

/** Uses an invitation, or a session of a person. */
export async function actAsPerson(client: Client): Promise<void> {
  const { random, world } = client
  const { all, invitations } = world.people
  await useInvitation(client)
  if (random.chance(0.1)) return await lookUpInvitation(client)
  if (random.chance(0.02) && invitations.length > 0) {
    return await withdrawInvitation(client, random.pick(invitations))
  }
  if (all.length === 0) return
  const person = random.pick(all)
  const going = person.sessions.filter(({ end }) => end.lowerBound === 0)
  // Ended sessions are tried sometimes: they must stay ended.
  const session = random.pick(random.chance(0.8) && going.length > 0 ? going : person.sessions)
  await random.pick(DRAWN)(client, person, session)
}
