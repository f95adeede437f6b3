import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { all, contractWith, not } from '../../support/contracts.ts'
import { newClaim, newCustomer } from '../../support/new-records.ts'
import { sharedService } from '../../support/shared.ts'
import type { Condition } from '../../support/source/contracts.ts'
import { assertStoresNothing } from '../../support/stored-rows.ts'

const service = await sharedService()
const { api } = service
const claim = await newClaim(api)
const customer = await newCustomer(api)
const JSON_TYPE = { 'Content-Type': 'application/json' }

const submit = (body: string | Uint8Array<ArrayBuffer>) =>
  api.send('POST', `/v1/claims/${claim.id}/events`, body, JSON_TYPE)
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('depth', () => {
  test('arrays of 128 levels are stored; 129 levels answer 400 and record nothing', async () => {
    const { status, body } = await submit(`{"type":"a","value":${nested(127)}}`)
    assert.equal(status, 201)
    assert.equal(JSON.stringify(body.event.value), nested(127))
    await assertStoresNothing(service, async () => {
      const refused = await submit(`{"type":"a","value":${nested(128)}}`)
      assertError(refused, 400, 'VALIDATION_ERROR', `value${'[0]'.repeat(127)}`)
    })
  })

  const DEEP = {
    arrays: nested(40_000),
    objects: `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`,
    'arrays beside a long number': `[1234567890123456,${nested(40_000)}]`,
    'arrays that never end': '['.repeat(40_000),
  }
  test('40,000 levels answer 400 and record nothing', async (t) => {
    await assertStoresNothing(service, async () => {
      for (const [what, value] of Object.entries(DEEP))
        await t.test(what, async () => {
          const answer = await submit(`{"type":"a","value":${value}}`)
          assertError(answer, 400, 'VALIDATION_ERROR')
          assert.doesNotMatch(answer.body.error.message, /call stack/)
        })
    })
  })

  test('a condition of 32 levels is accepted; 33 levels answer 400 at the node', async () => {
    for (const [wrap, step] of [
      [not, '.condition'],
      [(child: Condition) => all(child), '.conditions[0]'],
    ] as const) {
      const tree = (levels: number) => {
        let condition: Condition = { event: 'done' }
        for (let level = 1; level < levels; level++) condition = wrap(condition)
        return contractWith({ fulfillment_condition: condition })
      }
      assert.equal((await api.post('/v1/schemas', { contract: tree(32) })).status, 201)
      await assertStoresNothing(service, async () => {
        const path = `contract.fulfillment_condition${step.repeat(32)}`
        assertError(await api.post('/v1/schemas', { contract: tree(33) }), 400, 'VALIDATION_ERROR', path)
        assertError(await api.post('/v1/schemas', { contract: tree(60) }), 400, 'VALIDATION_ERROR', path)
      })
    }
  })

  test('a condition of 512 nodes is accepted; 513 nodes answer 400 at fulfillment_condition', async () => {
    const tree = (nodes: number) =>
      contractWith({ fulfillment_condition: all(...Array(nodes - 1).fill({ event: 'done' })) })
    assert.equal((await api.post('/v1/schemas', { contract: tree(512) })).status, 201)
    const path = 'contract.fulfillment_condition'
    assertError(await api.post('/v1/schemas', { contract: tree(513) }), 400, 'VALIDATION_ERROR', path)
    assertError(await api.post('/v1/schemas', { contract: tree(2_000) }), 400, 'VALIDATION_ERROR', path)
  })
})

describe('numbers', () => {
  test('a number that a double cannot represent answers 400 at its path and stores nothing', async (t) => {
    await assertStoresNothing(service, async () => {
      for (const number of [
        '1e999',
        '-1e999',
        '12345678901234567890',
        '-9007199254740993',
        '1e-999',
        `0.${'0'.repeat(400)}1`,
      ])
        await t.test(number, async () => {
          assertError(await submit(`{"type":"a","value":${number}}`), 400, 'VALIDATION_ERROR', 'value')
          const deep = await submit(`{"type":"a","o":{"l":[1,{"n":${number}}]}}`)
          assertError(deep, 400, 'VALIDATION_ERROR', 'o.l[1].n')
          const contract = JSON.stringify(contractWith()).replace('"price":10', `"price":${number}`)
          const body = `{"customer_id":"${customer.id}","contract":${contract}}`
          const answer = await api.send('POST', '/v1/claims', body, JSON_TYPE)
          assertError(answer, 400, 'VALIDATION_ERROR', 'contract.price')
        })
    })
  })

  test('numbers that a double can represent are stored in any notation', async () => {
    const { status, body } = await submit(
      '{"type":"a","value":[1E3,1.50,9007199254740992,1e21,5e-324,0e999,1.0000000000000000]}',
    )
    assert.equal(status, 201)
    assert.deepEqual(body.event.value, [1000, 1.5, 9007199254740992, 1e21, 5e-324, 0, 1])
  })
})

describe('text that PostgreSQL cannot store', () => {
  // U+0000, and surrogates alone or in the wrong order.
  const FLAWS = ['\\u0000', '\\ud800', '\\udc00x', '\\udc00\\ud800']
  test('answers 400 at its path, in values and in keys, and stores nothing', async (t) => {
    const casesOf = (flaw: string) => {
      const contract = JSON.stringify(contractWith()).replace('"done"', `"x${flaw}"`)
      const cases: [path: string, method: string, url: string, body: string][] = [
        ['value', 'POST', '/v1/events', `{"claim_id":"${claim.id}","type":"a","value":"a${flaw}"}`],
        ['type', 'POST', '/v1/events', `{"claim_id":"${claim.id}","type":"a${flaw}"}`],
        ['id', 'POST', '/v1/events', `{"claim_id":"${claim.id}","type":"a","id":"a${flaw}"}`],
        ['o[1].p', 'POST', '/v1/events', `{"claim_id":"${claim.id}","type":"a","o":[0,{"p":"${flaw}"}]}`],
        ['body', 'POST', '/v1/events', `{"claim_id":"${claim.id}","type":"a","k${flaw}":1}`],
        ['o.p', 'POST', '/v1/events', `{"claim_id":"${claim.id}","type":"a","o":{"p":{"k${flaw}":1}}}`],
        ['candidate_alias', 'POST', '/v1/events', `{"candidate_alias":"12345678${flaw}","type":"a"}`],
        ['external_id', 'POST', '/v1/customers', `{"external_id":"a${flaw}"}`],
        ['name', 'POST', '/v1/customers', `{"external_id":"a","name":"a${flaw}"}`],
        ['name', 'PATCH', `/v1/customers/${customer.id}`, `{"name":"a${flaw}"}`],
        ['contract.fulfillment_condition.event', 'POST', '/v1/schemas', `{"contract":${contract}}`],
        [
          'customer_uuid',
          'POST',
          '/v1/candidates',
          `{"candidate_alias":"12345678","customer_uuid":"${flaw}"}`,
        ],
      ]
      return cases
    }
    await assertStoresNothing(service, async () => {
      for (const [path, method, url, body] of FLAWS.flatMap(casesOf))
        await t.test(`${method} ${url} ${body}`, async () => {
          assertError(await api.send(method, url, body, JSON_TYPE), 400, 'VALIDATION_ERROR', path)
        })
    })
  })

  test('%00 in a path or a query answers 400 at the parameter', async (t) => {
    const cases: [path: string, url: string][] = [
      ['id', `/v1/claims/%00`],
      ['id', `/v1/customers/${customer.id}%00`],
      ['candidate_alias', '/v1/candidates/an-alias%00'],
      ['external_id', '/v1/customers?external_id=a%00'],
      ['customer_uuid', '/v1/candidates?customer_uuid=a%00'],
      ['after', '/v1/candidates?after=an-alias%00'],
      ['after', '/v1/claims?after=%00'],
      ['status', '/v1/claims?status=OPEN%00'],
    ]
    for (const [path, url] of cases)
      await t.test(url, async () => assertError(await api.get(url), 400, 'VALIDATION_ERROR', path))
    assertError(await api.get('/v1/customers?a%00b=1'), 400, 'VALIDATION_ERROR')
  })

  const quoted = (bytes: number[]) =>
    Buffer.concat([Buffer.from('{"type":"a","value":"'), Buffer.from(bytes), Buffer.from('"}')])
  const BYTES = {
    'a continuation byte alone': quoted([0x80]),
    'a cut sequence': quoted([0xe2, 0x82]),
    'an overlong slash': quoted([0xc0, 0xaf]),
    'a surrogate in UTF-8': quoted([0xed, 0xa0, 0x80]),
    'a byte that never occurs': quoted([0xff]),
    'UTF-16': Buffer.from('{"type":"a"}', 'utf16le'),
  }
  test('bytes that are not UTF-8 answer 400 at body, and nothing is recorded', async (t) => {
    await assertStoresNothing(service, async () => {
      for (const [what, body] of Object.entries(BYTES))
        await t.test(what, async () => {
          assertError(await submit(new Uint8Array(body)), 400, 'VALIDATION_ERROR', 'body')
        })
    })
  })
})

for (const [what, space] of [
  ['short', ''],
  ['long', ' '.repeat(200_000)],
] as const) {
  test(`the last of two lists in a ${what} body counts, even if both together exceed the limit`, async () => {
    const events = (count: number) =>
      `"events":[${Array(count).fill(`{"claim_id":"${claim.id}","type":"a"}`)}]`
    const batch = (first: number, last: number) =>
      api.send('POST', '/v1/events/batch', `{${space}${events(first)},${events(last)}}`, JSON_TYPE)
    assert.equal((await batch(999, 2)).body.results.length, 2)
    assert.equal((await batch(1_001, 1)).body.results.length, 1)
    assertError(await batch(1, 1_001), 400, 'VALIDATION_ERROR', 'events')
  })
}
