import { setTimeout as pause } from 'node:timers/promises'
import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import { now, type Reply } from '../../clients/exchange.ts'
import type { Account } from '../../clients/records.ts'
import { demand } from '../../model/finding.ts'
import { drawContract } from '../draw.ts'
import { addCreation, noteUnknown } from './add-claim.ts'
import { bodyOf, drawWanted, underContract } from './wanted-claim.ts'

const MAX_TRIES = 4
/** Without faults an overloaded server accepts a request within this number of tries. */
const MAX_REFUSED_TRIES = 10
const RETRY_DELAY_MS = 1_000

type Answered = Reply & { is: 'answer' }

/** §4.17: with a key a creation may be sent by several at once, and again until it is answered: it is one claim with one answer. */
export async function createOnce(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const isCandidate = random.chance(0.4)
  const wanted = {
    ...drawWanted(client, account, isCandidate),
    ...underContract(account, drawContract(random, false)),
    clock: null,
  }
  const exchange = {
    method: 'POST',
    path: isCandidate ? '/v1/candidates' : '/v1/claims',
    body: JSON.stringify(bodyOf(wanted)),
    headers: { 'idempotency-key': world.nextIdempotencyKey(account, random) },
  }
  const askers = random.chance(0.3) ? [client, client.second] : [client]
  const mostAnswers = random.int(1, 2)
  const replies: Reply[] = []
  const answers: Answered[] = []
  account.claimsUnderWay++
  for (let tries = 0; answers.length < mostAnswers; tries++) {
    const isRefused = isRefusedInCalm(client, replies)
    if (tries >= (isRefused ? MAX_REFUSED_TRIES : MAX_TRIES)) break
    if (isRefused) await pause(RETRY_DELAY_MS)
    world.count('create with a key', askers.length)
    for (const reply of await Promise.all(askers.map((one) => one.send(account, exchange)))) {
      replies.push(reply)
      if (outcomeOf(reply) === 'done') answers.push(reply as Answered)
      else
        demand(
          reply.is !== 'answer' || reply.status >= 500,
          () => 'a creation with a key was refused',
          () => reply,
        )
    }
  }
  account.claimsUnderWay--
  const [first] = answers
  if (!first) {
    demand(
      !isRefusedInCalm(client, replies),
      () => 'a creation with a key is refused repeatedly without a fault',
      () => ({ exchange, replies }),
    )
    if (replies.some((reply) => outcomeOf(reply) === 'unknown')) noteUnknown(account, wanted)
    return
  }
  const about = () => ({ exchange, replies })
  for (const { text } of answers) demand(text === first.text, () => 'a key has two answers', about)
  const made = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
  demand(made.length <= 1, () => 'what has a key was done twice', about)
  const times = { sentAt: (replies[0] as Reply).sentAt, answeredAt: first.answeredAt }
  addCreation(account, wanted, first.status, parse(first.text), times)
}

const isRefusedInCalm = (client: Client, replies: readonly Reply[]): boolean => {
  const [first] = replies
  if (!first || client.hadFault(first.sentAt, now())) return false
  return replies.every((reply) => outcomeOf(reply) === 'refused')
}
