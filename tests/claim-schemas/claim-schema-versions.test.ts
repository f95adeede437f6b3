import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { contractWith } from '../support/contracts.ts'
import { candidatePath, newCustomer, newSchema, uniqueName } from '../support/new-records.ts'
import { newSignedInApi } from '../support/session-client.ts'
import { sharedService } from '../support/shared.ts'

const service = await sharedService()
const { api } = service

const MAX_VERSIONS = 100

const pathOf = ({ id }: { id: string }) => `/v1/schemas/${id}`
const priced = (price: number) => ({ contract: contractWith({ price }) })

async function versionsOf(account: ApiClient, schema: { id: string }): Promise<Answer['body'][]> {
  const { status, body } = await account.get(`${pathOf(schema)}/versions`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ['data'])
  return body.data
}

async function change(account: ApiClient, schema: { id: string }, changes: object): Promise<Answer['body']> {
  const { status, body } = await account.patch(pathOf(schema), changes)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

describe('a schema keeps its versions (§2.5)', () => {
  test('each change of the contract, the name or the description makes one, and they are listed newest first', async () => {
    const contract = contractWith({ price: 49.5 })
    const { body: schema } = await api.post('/v1/schemas', { contract, name: 'Ticket' })
    assert.equal(schema.version, 1)
    await change(api, schema, { name: 'Support ticket' })
    await change(api, schema, { description: 'Level 1.' })
    const last = await change(api, schema, { ...priced(59), name: null })
    assert.equal(last.version, 4)

    const versions = await versionsOf(api, schema)
    assert.deepEqual(
      versions.map(({ version, name, description, contract: { price } }) => [
        version,
        name,
        description,
        price,
      ]),
      [
        [4, null, 'Level 1.', 59],
        [3, 'Support ticket', 'Level 1.', 49.5],
        [2, 'Support ticket', null, 49.5],
        [1, 'Ticket', null, 49.5],
      ],
    )
    assert.deepEqual(Object.keys(versions[0]), [
      'schema_id',
      'version',
      'name',
      'description',
      'contract',
      'created_at',
      'made_by',
    ])
    assert.equal(versions[3].created_at, schema.created_at)
    for (const version of versions) {
      assert.equal(version.schema_id, schema.id)
      const { status, body } = await api.get(
        `${pathOf(schema).toUpperCase().replace('/V1/SCHEMAS', '/v1/schemas')}/versions/${version.version}`,
      )
      assert.deepEqual([status, body], [200, version])
    }
  })

  test('what changes nothing makes none, although a contract that is sent once more moves updated_at', async () => {
    const { body: schema } = await api.post('/v1/schemas', { ...priced(5), name: 'Five' })
    await change(api, schema, { name: 'Five' })
    const same = await change(api, schema, { ...priced(5), name: 'Five', description: null })
    assert.ok(same.updated_at > schema.updated_at)
    assert.deepEqual(same, { ...schema, updated_at: same.updated_at })
    const [only, ...others] = await versionsOf(api, schema)
    assert.deepEqual([only.version, only.created_at, others], [1, schema.created_at, []])
  })

  test('a version tells with which token it was made, or that somebody was signed in', async () => {
    const browser = await newSignedInApi(service)
    const { body: token } = await browser.post('/v1/tokens', { name: 'nightly import' })
    const program = service.clientWith(token.token)
    const schema = await newSchema(browser, { price: 1 })
    await change(program, schema, priced(2))
    await browser.delete(`/v1/tokens/${token.id}`)
    await change(browser, schema, priced(3))
    const session = { kind: 'session', token_id: null, token_name: null }
    assert.deepEqual(
      (await versionsOf(browser, schema)).map(({ made_by }) => made_by),
      [session, { kind: 'token', token_id: token.id, token_name: 'nightly import' }, session],
    )
  })

  test('a name that is set to something and back is another version with another ETag', async () => {
    const made = await api.post('/v1/schemas', { ...priced(1), name: 'A' })
    await change(api, made.body, { name: 'B' })
    assert.equal((await change(api, made.body, { name: 'A' })).version, 3)
    const tag = made.headers.get('etag') ?? ''
    assert.equal((await api.get(pathOf(made.body), { 'If-None-Match': tag })).status, 200)
  })

  test('changes of one schema at the same time make one version each', async () => {
    const schema = await newSchema(api, { price: 0 })
    const prices = Array.from({ length: 20 }, (_, i) => i + 1)
    await Promise.all(prices.map((price) => change(api, schema, priced(price))))
    const versions = await versionsOf(api, schema)
    assert.deepEqual(
      versions.map(({ version }) => version),
      [0, ...prices].map((price) => price + 1).toReversed(),
    )
    const made = versions.map(({ contract: { price } }) => price)
    assert.deepEqual(
      made.toSorted((a, b) => a - b),
      [0, ...prices],
    )
  })

  test('a change that If-Match refuses makes none, and one with an Idempotency-Key that is sent again makes one', async () => {
    const schema = await newSchema(api, { price: 1 })
    const refused = await api.patch(pathOf(schema), priced(2), { 'If-Match': '"before"' })
    assertError(refused, 412, 'PRECONDITION_FAILED')
    const key = { 'Idempotency-Key': randomUUID() }
    const changed = await api.patch(pathOf(schema), priced(3), key)
    await change(api, schema, priced(4))
    const again = await api.patch(pathOf(schema), priced(3), key)
    assert.deepEqual([again.status, again.body], [200, changed.body])
    const versions = await versionsOf(api, schema)
    assert.deepEqual(
      versions.map(({ version, contract: { price } }) => [version, price]),
      [
        [3, 4],
        [2, 3],
        [1, 1],
      ],
    )
  })

  test('the newest 100 are kept, however often a schema is changed (§8)', async () => {
    const schema = await newSchema(api, { price: 0 })
    for (let price = 1; price <= MAX_VERSIONS + 10; price++) await change(api, schema, priced(price))
    const versions = await versionsOf(api, schema)
    assert.deepEqual(
      versions.map(({ version, contract: { price } }) => [version, price]),
      Array.from({ length: MAX_VERSIONS }, (_, i) => [111 - i, 110 - i]),
    )
    const kept = await service.sql(
      'SELECT count(*)::int AS count FROM claim_schema_versions WHERE schema_id = $1',
      [schema.id],
    )
    assert.deepEqual(kept, [{ count: MAX_VERSIONS - 1 }])
    assert.equal((await api.get(`${pathOf(schema)}/versions/12`)).body.contract.price, 11)
    const forgotten = await api.get(`${pathOf(schema)}/versions/11`)
    assertError(forgotten, 404, 'SCHEMA_VERSION_NOT_FOUND')
    assert.match(forgotten.body.error.message, /has no version 11; it has those from 12 to 111\.$/)
  })

  test('they are deleted with the schema; its claims stay as they are', async () => {
    const customer = await newCustomer(api)
    const schema = await newSchema(api, { price: 1 })
    await change(api, schema, priced(2))
    const { body: claim } = await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema.id })
    assert.equal((await api.delete(pathOf(schema))).status, 204)
    assert.deepEqual(
      await service.sql('SELECT FROM claim_schema_versions WHERE schema_id = $1', [schema.id]),
      [],
    )
    assertError(await api.get(`${pathOf(schema)}/versions`), 404, 'SCHEMA_NOT_FOUND')
    assertError(await api.get(`${pathOf(schema)}/versions/2`), 404, 'SCHEMA_NOT_FOUND')
    assert.deepEqual((await api.get(`/v1/claims/${claim.id}`)).body, claim)
    assert.equal(claim.schema_version, 2)
  })

  test('a version that never was answers 404, and one that is no number 400', async () => {
    const schema = await newSchema(api)
    assertError(await api.get(`${pathOf(schema)}/versions/2`), 404, 'SCHEMA_VERSION_NOT_FOUND')
    for (const version of ['0', '-1', '1.5', 'x', '2147483648', '1e400', '%20'])
      assertError(await api.get(`${pathOf(schema)}/versions/${version}`), 400, 'VALIDATION_ERROR', 'version')
    assertError(await api.get(`${pathOf(schema)}/versions?limit=1`), 400, 'VALIDATION_ERROR', 'limit')
  })
})

describe('a claim says from which version of its schema it was made (§2.3)', () => {
  test('wherever it is shown: created alone and in a batch, read, listed and in notifications', async () => {
    const account = await service.newAccount()
    const customer = await newCustomer(account)
    const schema = await newSchema(account, { price: 1 })
    await change(account, schema, priced(2))
    const source = { schema_id: schema.id }
    const alias = uniqueName('candidate')
    const candidate = { candidate_alias: alias, customer_uuid: customer.external_id, ...source }
    const made = [
      (await account.post('/v1/claims', { customer_id: customer.id, ...source })).body,
      (await account.post('/v1/claims/batch', { claims: [{ customer_id: customer.id, ...source }] })).body
        .results[0].claim,
      (await account.post('/v1/candidates', candidate)).body,
    ]
    await change(account, schema, priced(3))
    for (const { schema_version, contract } of made)
      assert.deepEqual([schema_version, contract.price], [2, 2])
    const [first] = made
    assert.equal((await account.get(`/v1/claims/${first.id}`)).body.schema_version, 2)
    assert.equal((await account.get(candidatePath(alias))).body.schema_version, 2)
    for (const path of ['/v1/claims', '/v1/candidates'])
      for (const { schema_version } of (await account.get(path)).body.data) assert.equal(schema_version, 2)
    for (const { claim, candidate } of (await account.get('/v1/notifications')).body.data)
      assert.equal((claim ?? candidate).schema_version, 2)
  })

  test('null without a schema', async () => {
    const customer = await newCustomer(api)
    const claim = await api.claim(customer.id, contractWith())
    assert.deepEqual([claim.schema_id, claim.schema_version], [null, null])
  })

  test('the same when the creation is sent again with its Idempotency-Key after the schema was changed', async () => {
    const customer = await newCustomer(api)
    const schema = await newSchema(api, { price: 1 })
    const key = { 'Idempotency-Key': randomUUID() }
    const body = { customer_id: customer.id, schema_id: schema.id }
    const first = await api.post('/v1/claims', body, key)
    await change(api, schema, priced(2))
    const again = await api.post('/v1/claims', body, key)
    assert.deepEqual([again.status, again.body], [201, first.body])
    assert.equal(again.body.schema_version, 1)
  })

  test('just the one whose contract it has, while the schema is changed again and again', async () => {
    const customer = await newCustomer(api)
    const schema = await newSchema(api, { price: 1 })
    const source = { customer_id: customer.id, schema_id: schema.id }
    const claims: Answer['body'][] = []
    const named = () => new Set(claims.map(({ schema_version }) => schema_version)).size
    let isChanging = true
    // Version N has price N.
    const changeAgainAndAgain = async () => {
      for (let price = 2; price <= 25 || (named() <= 5 && price <= 2_000); price++)
        await change(api, schema, priced(price))
    }
    const create = async () => {
      while (isChanging) {
        const batch = await api.post('/v1/claims/batch', { claims: [source, source] })
        claims.push(
          (await api.post('/v1/claims', source)).body,
          ...batch.body.results.map(({ claim }: { claim: object }) => claim),
        )
      }
    }
    const changes = changeAgainAndAgain().finally(() => {
      isChanging = false
    })
    await Promise.all([changes, create(), create(), create()])
    assert.ok(named() > 5, `claims of ${named()} versions were made`)
    const made = claims.map(({ schema_version: version, contract }) => ({ version, contract }))
    for (const { version, contract } of [...made, ...(await versionsOf(api, schema))])
      assert.deepEqual(contract, { ...schema.contract, price: version })
  })
})

describe('beside a server of an older version, which does not know of versions', () => {
  const asBefore = (schema: { id: string }, price: number) =>
    service.sql(
      `UPDATE claim_schemas SET contract = $2, updated_at = date_trunc('milliseconds', clock_timestamp()) WHERE id = $1`,
      [schema.id, JSON.stringify(contractWith({ price }))],
    )

  test('what it changes is a version too, of which nobody knows who made it', async () => {
    const customer = await newCustomer(api)
    const schema = await newSchema(api, { price: 1 })
    const [made] = await versionsOf(api, schema)
    await asBefore(schema, 2)
    const claim = await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema.id })
    assert.deepEqual([claim.body.schema_version, claim.body.contract.price], [2, 2])
    await asBefore(schema, 2)
    await change(api, schema, priced(3))
    const versions = await versionsOf(api, schema)
    assert.deepEqual(
      versions.map(({ version, contract: { price }, made_by }) => [version, price, made_by]),
      [
        [3, 3, made.made_by],
        [2, 2, null],
        [1, 1, made.made_by],
      ],
    )
    assert.deepEqual(versions[2], made)
  })

  test('it does not fill the disk with them either', async () => {
    const schema = await newSchema(api, { price: 0 })
    for (let price = 1; price <= MAX_VERSIONS + 5; price++) await asBefore(schema, price)
    const kept = await service.sql(
      'SELECT count(*)::int AS count FROM claim_schema_versions WHERE schema_id = $1',
      [schema.id],
    )
    assert.deepEqual(kept, [{ count: MAX_VERSIONS - 1 }])
    assert.equal((await versionsOf(api, schema)).length, MAX_VERSIONS)
  })

  test('a schema that it makes has version 1, and one that it deletes leaves none', async () => {
    const owner = await newSchema(api)
    const id = randomUUID()
    await service.sql(
      `INSERT INTO claim_schemas (user_id, id, contract, created_at, updated_at)
        SELECT user_id, $2, contract, created_at, updated_at FROM claim_schemas WHERE id = $1`,
      [owner.id, id],
    )
    const [only, ...others] = await versionsOf(api, { id })
    assert.deepEqual([only.version, only.made_by, only.created_at, others], [1, null, owner.created_at, []])
    await change(api, { id }, priced(9))
    await service.sql('DELETE FROM claim_schemas WHERE id = $1', [id])
    assert.deepEqual(await service.sql('SELECT FROM claim_schema_versions WHERE schema_id = $1', [id]), [])
  })
})
