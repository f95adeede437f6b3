import { setTimeout as pause } from 'node:timers/promises'
import { type Client, parse } from '../../clients/client.ts'
import type { ClaimRecord } from '../../clients/records.ts'
import type { Submission } from '../../model/claim-history.ts'
import { observeDeleted, observeExisting } from '../../model/clock-history.ts'
import { needsEventIds } from '../../model/contract.ts'
import type { JsonObject } from '../../model/json.ts'
import { drawContent, drawRare } from '../draw.ts'
import { readVerdict } from './read-verdict.ts'

const RETRY_DELAY_MS = 50

export type Draft = Pick<Submission, 'id' | 'type' | 'payload'>

/**
 * A submission to the claim. There are few ids, mostly with the same content, so that clients repeat each other's
 * events and sometimes conflict. Some submissions lack a required id.
 */
export function drawSubmission(client: Client, record: ClaimRecord): Draft {
  const { random, world } = client
  const draw = record.uses++ > 40 && random.chance(0.1) ? drawRare : drawContent
  if (random.chance(needsEventIds(record.terms.contract) ? 0.03 : 0.2)) {
    const { type, payload } = draw(random)
    return { id: null, type, payload: { ...payload, nonce: world.nextName('n') } }
  }
  if (random.chance(0.5)) return { id: world.nextName('e'), ...draw(random) }
  const id = `shared-${random.int(0, 30)}`
  const variant = random.chance(0.1) ? 'other' : 'one'
  return { id, ...drawContent(random.fork(`${record.address}/${id}/${variant}`)) }
}

export const bodyOf = ({ id, type, payload }: Draft): JsonObject => ({
  ...(id === null ? {} : { id }),
  type,
  ...payload,
})

export const addressOf = (record: ClaimRecord): JsonObject =>
  record.alias === null ? { claim_id: record.address } : { candidate_alias: record.alias }

/** Submits an event (§4.3) by one of three paths. Mostly retries a submission without a response. */
export async function submitEvent(client: Client, record: ClaimRecord): Promise<void> {
  const draft = drawSubmission(client, record)
  for (let attempt = 0; attempt < 4; attempt++) {
    const { verdict } = await submitOnce(client, record, draft)
    const isDecided = verdict.kind !== 'unknown' && verdict.kind !== 'refused'
    if (isDecided || draft.id === null || client.random.chance(0.3)) return
    await pause(RETRY_DELAY_MS)
  }
}

async function submitOnce(client: Client, record: ClaimRecord, draft: Draft): Promise<Submission> {
  const { random, world } = client
  const isDirect = random.chance(0.5)
  const isMinimal = random.chance(0.2)
  const path = isDirect ? `${record.path}/events` : '/v1/events'
  const body = isDirect ? bodyOf(draft) : { ...addressOf(record), ...bodyOf(draft) }
  world.count('submit event')
  const submission: Submission = {
    ...draft,
    source: `${client.name} POST ${path}`,
    sentAt: 0,
    answeredAt: Infinity,
    verdict: { kind: 'unknown', why: 'under way' },
  }
  record.submissions.push(submission)
  const request = {
    method: 'POST',
    path,
    body: JSON.stringify(body),
    ...(isMinimal ? { headers: { prefer: 'return=minimal' } } : {}),
  }
  const mayBeRefused = draft.id === null && needsEventIds(record.terms.contract)
  const reply = await client.send(record.account, request, { mayBeRefused })
  submission.sentAt = reply.sentAt
  if (reply.kind === 'not sent') submission.verdict = { kind: 'refused', status: 0 }
  else if (reply.kind === 'lost') submission.verdict = { kind: 'unknown', why: reply.why }
  else {
    const isRepeat =
      reply.headers['idempotent-replayed'] === 'true' ||
      client.mayHaveLostDatabase(reply.sentAt, reply.answeredAt)
    const replyBody = reply.text === '' ? null : parse(reply.text)
    submission.verdict = readVerdict(record, reply.status, replyBody, isRepeat)
    if (submission.verdict.kind !== 'unknown') submission.answeredAt = reply.answeredAt
  }
  recordOutcome(client, record, submission)
  return submission
}

/** Counts the outcome, and records what it shows about the claim's test clock: that it exists or is deleted. */
export function recordOutcome({ world }: Client, { clock, name }: ClaimRecord, submission: Submission): void {
  const { verdict, sentAt, answeredAt } = submission
  if (clock && verdict.kind === 'gone') observeDeleted(clock, `a submission to ${name}`, sentAt, answeredAt)
  if (clock && verdict.kind === 'recorded')
    observeExisting(clock, `a submission to ${name}`, sentAt, answeredAt)
  if (verdict.kind === 'recorded' || verdict.kind === 'replayed') world.acknowledged++
  if (verdict.kind === 'unknown') world.unknown++
}
