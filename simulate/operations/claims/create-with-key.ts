import { setTimeout as pause } from 'node:timers/promises'
import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import { now, type Reply } from '../../clients/http-connection.ts'
import type { Account } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import { drawContract } from '../draw.ts'
import { addCreation, addUnknown } from './add-claim.ts'
import { bodyOf, drawNewClaim, underContract } from './new-claim.ts'

const MAX_TRIES = 4
/** Without faults an overloaded server accepts a request within this number of tries. */
const MAX_REFUSED_TRIES = 10
const RETRY_DELAY_MS = 1_000

type Answered = Reply & { kind: 'answer' }

/** §4.17: concurrent and repeated creations with one key create one claim and have one response. */
export async function createWithKey(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const isCandidate = random.chance(0.4)
  const newClaim = {
    ...drawNewClaim(client, account, isCandidate),
    ...underContract(account, drawContract(random, false)),
    clock: null,
  }
  const request = {
    method: 'POST',
    path: isCandidate ? '/v1/candidates' : '/v1/claims',
    body: JSON.stringify(bodyOf(newClaim)),
    headers: { 'idempotency-key': world.nextIdempotencyKey(account, random) },
  }
  const senders = random.chance(0.3) ? [client, client.second] : [client]
  const wantedResponses = random.int(1, 2)
  const replies: Reply[] = []
  const answers: Answered[] = []
  account.claimsInProgress++
  for (let tries = 0; answers.length < wantedResponses; tries++) {
    const isRefused = isRefusedInCalm(client, replies)
    if (tries >= (isRefused ? MAX_REFUSED_TRIES : MAX_TRIES)) break
    if (isRefused) await pause(RETRY_DELAY_MS)
    world.count('create with a key', senders.length)
    for (const reply of await Promise.all(senders.map((one) => one.send(account, request)))) {
      replies.push(reply)
      if (outcomeOf(reply) === 'done') answers.push(reply as Answered)
      else
        assert(
          reply.kind !== 'answer' || reply.status >= 500,
          () => 'a creation with a key was refused',
          () => reply,
        )
    }
  }
  account.claimsInProgress--
  const [first] = answers
  if (!first) {
    assert(
      !isRefusedInCalm(client, replies),
      () => 'a creation with a key is refused repeatedly without a fault',
      () => ({ request, replies }),
    )
    if (replies.some((reply) => outcomeOf(reply) === 'unknown')) addUnknown(account, newClaim)
    return
  }
  const about = () => ({ request, replies })
  for (const { text } of answers) assert(text === first.text, () => 'a key has two responses', about)
  const made = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
  assert(made.length <= 1, () => 'a request with a key was executed twice', about)
  const times = { sentAt: (replies[0] as Reply).sentAt, answeredAt: first.answeredAt }
  addCreation(account, newClaim, first.status, parse(first.text), times)
}

const isRefusedInCalm = (client: Client, replies: readonly Reply[]): boolean => {
  const [first] = replies
  if (!first || client.hadFault(first.sentAt, now())) return false
  return replies.every((reply) => outcomeOf(reply) === 'refused')
}
