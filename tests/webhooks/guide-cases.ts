import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { deliveryBody, deliveryHeaders, hashOf, NO_HASH } from '../support/source/webhooks.ts'
import type { Arrival, Arrivals, Finding, Programs } from './guide-programs.ts'

/* What the programs of the guide to webhooks must find, in each language. */

export const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`
const OTHER = `whsec_${Buffer.from('the secret of another one').toString('base64')}`

/** The bodies of the first deliveries to an endpoint, each linked to the one before. */
function linkedBodies(names: string[], previousHash = NO_HASH, number = 1): string[] {
  const [name, ...rest] = names
  if (name === undefined) return []
  const notification = JSON.stringify({ id: randomUUID(), type: 'claim.created', claim: { name } })
  const body = deliveryBody(notification, { number, previousHash })
  return [body, ...linkedBodies(rest, hashOf(body), number + 1)]
}

export function signed(secrets: string[], secondsAgo = 0, secret = SECRET): Arrival {
  const [body] = linkedBodies(['Zoë 🎉 "quoted"']) as [string]
  const link = { number: 1, previousHash: NO_HASH }
  const now = new Date(Date.now() - secondsAgo * 1_000)
  return { secret, headers: deliveryHeaders({ id: JSON.parse(body).id, ...link, body }, secrets, now), body }
}

const withHeaders = (arrival: Arrival, headers: Record<string, string>) => ({
  ...arrival,
  headers: { ...arrival.headers, ...headers },
})

function without(arrival: Arrival, header: string): Arrival {
  const { [header]: _, ...headers } = arrival.headers
  return { ...arrival, headers }
}

export const good = signed([SECRET])
const { 'Webhook-Signature': signature = '', 'Webhook-Timestamp': timestamp = '' } = good.headers

const signedWithNone = `v1,${createHmac('sha256', '')
  .update(`${good.headers['Webhook-Id']}.${timestamp}.${good.body}`)
  .digest('base64')}`

const BELIEVED: Record<string, Arrival> = {
  'a good one': good,
  'one that was on its way for four minutes': signed([SECRET], 240),
  'one from a clock that is four minutes ahead': signed([SECRET], -240),
  'one that two secrets signed, to a holder of the old': signed([OTHER, SECRET]),
  'one that two secrets signed, to a holder of the new': signed([SECRET, OTHER]),
  'a signature of another version beside the good one': withHeaders(good, {
    'Webhook-Signature': `v1a,AAAA ${signature}`,
  }),
}

export const REFUSED: Record<string, Arrival> = {
  'a changed byte': { ...good, body: good.body.replace('quoted', 'quotes') },
  'a byte more': { ...good, body: `${good.body}\n` },
  'the same JSON in other bytes': { ...good, body: JSON.stringify(JSON.parse(good.body), null, 1) },
  'an old timestamp': signed([SECRET], 310),
  // Nearer with each second that a program takes to begin.
  'a timestamp from the future': signed([SECRET], -400),
  'an old one with a new timestamp': withHeaders(signed([SECRET], 310), { 'Webhook-Timestamp': timestamp }),
  'a timestamp that is none': withHeaders(good, { 'Webhook-Timestamp': 'now' }),
  'a timestamp beyond all numbers': withHeaders(good, { 'Webhook-Timestamp': '9'.repeat(400) }),
  'another id': withHeaders(good, { 'Webhook-Id': randomUUID() }),
  'another secret': signed([OTHER]),
  'no secret': { ...good, secret: '' },
  'no secret, signed with none': {
    ...withHeaders(good, { 'Webhook-Signature': signedWithNone }),
    secret: 'whsec_',
  },
  'a signature that is cut off': withHeaders(good, { 'Webhook-Signature': signature.slice(0, -4) }),
  'a signature of another version': withHeaders(good, {
    'Webhook-Signature': signature.replace('v1,', 'v2,'),
  }),
  'a signature with letters that it cannot have': withHeaders(good, { 'Webhook-Signature': 'v1,é' }),
  'no signature': without(good, 'Webhook-Signature'),
  'no timestamp': without(good, 'Webhook-Timestamp'),
  'no id': without(good, 'Webhook-Id'),
}

export function believesTheGoodOnly({ verify }: Pick<Programs, 'verify'>) {
  const cases = { ...BELIEVED, ...REFUSED }
  const believed = verify(Object.values(cases))
  assert.deepEqual(
    Object.keys(cases).filter((_, i) => believed[i]),
    Object.keys(BELIEVED),
  )
}

export const FOUR = linkedBodies(['a', 'b', 'c', 'd'])
export const [A, B, C, D] = FOUR as [string, string, string, string]
const BEGIN = { number: 0, hash: NO_HASH }

const permutations = <T>(items: T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))

export const changed = (body: string) => body.replace('"name":', '"changed":')
export const renumbered = (body: string, from: number, to: number) =>
  body.replace(`"number":${from}`, `"number":${to}`)

const arrivals = (bodies: string[], last = 4): Arrivals => ({ begin: BEGIN, bodies, last })

/** What arrives, and what the guide says that is found. */
const EXPECTED: [what: string, run: Arrivals, found: Omit<Finding, 'hash'>][] = [
  ['in order', arrivals(FOUR), { outcomes: ['new', 'new', 'new', 'new'], missing: [] }],
  ['nothing', arrivals([]), { outcomes: [], missing: [1, 2, 3, 4] }],
  [
    'all twice, the other way round',
    arrivals([D, D, C, B, C, A, B, A]),
    {
      outcomes: ['new', 'repeated', 'new', 'new', 'repeated', 'new', 'repeated', 'repeated'],
      missing: [],
    },
  ],
  ['one dropped', arrivals([A, B, D]), { outcomes: ['new', 'new', 'new'], missing: [3] }],
  ['the first dropped', arrivals([B, C, D]), { outcomes: ['new', 'new', 'new'], missing: [1] }],
  ['the last dropped', arrivals([A, B, C]), { outcomes: ['new', 'new', 'new'], missing: [4] }],
  ['one that comes late', arrivals([A, D, C, B]), { outcomes: ['new', 'new', 'new', 'new'], missing: [] }],
  [
    'repeated with a change, then as it was',
    arrivals([A, B, changed(B), B, C, D]),
    { outcomes: ['new', 'new', 'refused', 'repeated', 'new', 'new'], missing: [] },
  ],
  [
    'one left out, the others renumbered',
    arrivals([A, renumbered(C, 3, 2), renumbered(D, 4, 3)], 3),
    { outcomes: ['new', 'refused', 'new'], missing: [2] },
  ],
  [
    'one before the first that was kept, of another endpoint',
    arrivals(linkedBodies(['a', 'b'], hashOf('another'))),
    { outcomes: ['refused', 'new'], missing: [1, 3, 4] },
  ],
  [
    'beginning in the midst',
    { begin: { number: 2, hash: hashOf(B) }, bodies: [D, C], last: 4 },
    { outcomes: ['new', 'new'], missing: [] },
  ],
  [
    'beginning in the midst of others',
    { begin: { number: 2, hash: hashOf(A) }, bodies: [D, C], last: 4 },
    { outcomes: ['new', 'refused'], missing: [3] },
  ],
]

export function findsWhatIsMissingOrChanged({ follow }: Programs) {
  const found = follow(EXPECTED.map(([, run]) => run))
  for (const [i, [what, , expected]] of EXPECTED.entries()) {
    const { outcomes, missing } = found[i] as Finding
    assert.deepEqual({ outcomes, missing }, expected, what)
  }

  const anyOrder = permutations(FOUR)
  for (const finding of follow(anyOrder.map((bodies) => arrivals(bodies))))
    assert.deepEqual(finding, { outcomes: Array(4).fill('new'), missing: [], hash: hashOf(D) })

  const oneChanged = [A, B, C].flatMap((one) =>
    anyOrder.map((bodies) => arrivals(bodies.map((body) => (body === one ? changed(body) : body)))),
  )
  for (const { outcomes, missing } of follow(oneChanged)) {
    assert.equal(outcomes.filter((outcome) => outcome === 'refused').length, 1)
    assert.equal(missing.length, 1)
  }

  // Nothing follows the last one yet: what the endpoint says of it shows the change.
  const lastChanged = anyOrder.map((bodies) =>
    arrivals(bodies.map((body) => (body === D ? changed(D) : body))),
  )
  for (const { outcomes, hash } of follow(lastChanged)) {
    assert.deepEqual(outcomes, Array(4).fill('new'))
    assert.notEqual(hash, hashOf(D))
  }
}
