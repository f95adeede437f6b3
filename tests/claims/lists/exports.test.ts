import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import fastify from 'fastify'
import { CLAIM_COLUMNS, sendCsv } from '../../../src/platform/http/responses/send-csv.ts'
import type { Answer } from '../../support/api-client.ts'
import { contractWith } from '../../support/contracts.ts'
import { COPY_CLAIM } from '../../support/copy-claims.ts'
import { newCandidate, newClaim, newCustomer, newSchema } from '../../support/new-records.ts'
import { connectRaw } from '../../support/raw-connection.ts'
import { readPages } from '../../support/read-pages.ts'
import { sharedService } from '../../support/shared.ts'

const service = await sharedService()
const { api } = service

const STATE = ['status', 'scheduled_outcome', 'price', 'status_since', 'due_at', 'schema_id', 'test_clock_id']
const COLUMNS = {
  '/v1/claims': [
    'id',
    'customer_id',
    ...STATE,
    'created_at',
    'reference',
    'customer_external_id',
    'schema_version',
    'metadata',
  ],
  '/v1/candidates': [
    'candidate_alias',
    'customer_uuid',
    ...STATE,
    'created_at',
    'schema_version',
    'metadata',
  ],
}

const NO_CLAIM = {
  id: '',
  reference: null,
  candidateAlias: null,
  customerId: '',
  customerExternalId: null,
  status: 'OPEN',
  scheduledOutcome: null,
  price: '1',
  statusSince: new Date(0),
  dueAt: null,
  schemaId: null,
  schemaVersion: null,
  metadata: '{}',
  testClockId: null,
  createdAt: new Date(0),
} as const

/** What is noted comes as PostgreSQL writes it. */
const textOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return `${value ?? ''}`
  const pairs = Object.entries(value).map(([key, text]) => `${JSON.stringify(key)}: ${JSON.stringify(text)}`)
  return pairs.length === 0 ? '' : `{${pairs.join(', ')}}`
}

/** What the export of the list's records must hold. */
const linesOf = (path: keyof typeof COLUMNS, rows: Answer['body'][]) =>
  rows.map((row) =>
    Object.fromEntries(
      COLUMNS[path].map((name) => [
        name,
        name === 'customer_external_id'
          ? externalIdOf(row.customer_id)
          : textOf(name === 'price' ? row.contract.price : row[name]),
      ]),
    ),
  )

const customer = await newCustomer(api)
/** By the customers' own list. */
const externalIdOf = (id: string) => customers.find((one) => one.id === id)?.external_id
const schema = await newSchema(api, { price: 0.1 })
for (let n = 0; n < 5; n++) {
  await newClaim(api, { price: 1e12 - n / 8 })
  await newCandidate(api, { customer, terms: { price: n } })
  const metadata = { n: `=${n}`, 'a, "b"': 'ключ' }
  await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema.id, metadata })
}
const { body: done } = await api.post('/v1/claims', { customer_id: customer.id, schema_id: schema.id })
await api.post('/v1/events', { claim_id: done.id, type: 'done' })

const customers: Answer['body'][] = (await readPages(api, '/v1/customers', { limit: 100 })).flat()

/** A server with what an answer asks of it, and no routes. */
const bareServer = () => fastify().decorate('stopSignal', new AbortController().signal)

describe('an export', () => {
  for (const [path, queries] of [
    ['/v1/claims', ['', 'status=PENDING', `schema_id=${schema.id}`, `customer_id=${customer.id}&order=desc`]],
    [
      '/v1/candidates',
      ['', 'status=OPEN&order=desc', `customer_uuid=${customer.external_id}`, 'search=cand'],
    ],
  ] as const) {
    for (const query of queries) {
      test(`of ${path}?${query} has a line for each record of the list, in its order`, async () => {
        const answer = await api.get(`${path}/export?${query}`)
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
        const name = path.split('/').at(-1)
        const pattern = new RegExp(`^attachment; filename="${name}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`)
        assert.match(answer.headers.get('content-disposition') ?? '', pattern)
        const rows = (await readPages(api, path, Object.fromEntries(new URLSearchParams(query)))).flat()
        assert.ok(rows.length > 0)
        assert.deepEqual(parse(answer.body, { columns: true }), linesOf(path, rows))
      })
    }
  }

  test('of nothing has only the names of its columns', async () => {
    const stranger = await service.newAccount()
    for (const path of Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]) {
      assert.equal((await stranger.get(`${path}/export`)).body, `${COLUMNS[path].join(',')}\n`)
    }
    const unknown = await api.get('/v1/candidates/export?customer_uuid=nobody')
    assert.equal(unknown.body, `${COLUMNS['/v1/candidates'].join(',')}\n`)
  })

  test('keeps what a field says, and makes no formula of it', async () => {
    const account = await service.newAccount()
    const { external_id } = (await account.post('/v1/customers', { external_id: '@SUM(A1:A9)', name: null }))
      .body
    const aliases = ['=1+1;cmd|x', '+49 30 1234', '-2+3-4567', 'a "quoted", one', 'two\r\nlines', 'ordinary']
    for (const alias of aliases) await newCandidate(account, { alias, customer: { external_id } })
    const lines: Record<string, string>[] = parse((await account.get('/v1/candidates/export')).body, {
      columns: true,
    })
    assert.deepEqual(
      lines.map((line) => line.candidate_alias),
      aliases.map((alias) => (/^[=+\-@]/.test(alias) ? `'${alias}` : alias)),
    )
    assert.equal(lines[0]?.customer_uuid, "'@SUM(A1:A9)")
  })

  test('sees a formula behind blanks of any kind, and keeps separators of other countries in their field', async () => {
    const account = await service.newAccount()
    const { external_id } = await newCustomer(account)
    const blanks = [
      ' ',
      '\t',
      '\r\n',
      '\n',
      '\v',
      '\u00a0',
      '\u3000',
      '\u200b',
      '\ufeff',
      '\u2800',
      '\u3164',
      ' \u00ad\u2003\t',
    ]
    const formulas = blanks.flatMap((blank, i) => [`${blank}=HYPERLINK(${i})`, `${blank}＋1-${i}-123456`])
    const harmless = [
      ' a blank before',
      'half; half',
      'x\ttab = x',
      '\u3000全角の空白-です',
      "' =quoted before",
    ]
    const aliases = [...formulas, ...harmless].map((alias, i) => `${alias} ${i}`)
    for (const alias of aliases) await newCandidate(account, { alias, customer: { external_id } })
    const text: string = (await account.get('/v1/candidates/export')).body
    const lines: Record<string, string>[] = parse(text, { columns: true })
    assert.deepEqual(
      lines.map((line) => line.candidate_alias),
      aliases.map((alias, i) =>
        i < formulas.length ? `'${alias.replace(/[\t\n\v](?=[=＋])/, "$&'")}` : alias,
      ),
    )
    for (const alias of aliases.filter((name) => /[;\t]/.test(name) && !/[=＋]\S/.test(name))) {
      assert.ok(new RegExp(`^"${RegExp.escape(alias)}",`, 'm').test(text), alias)
    }
  })

  test('escapes formulas after separators of other locales and after line breaks', async () => {
    const account = await service.newAccount()
    const { external_id } = await newCustomer(account)
    const guarded = {
      'a;=1+1;b 1': "a;'=1+1;b 1",
      'a;b; \u200b@SUM(1)': "a;b;' \u200b@SUM(1)",
      'a\t+1\t-2 tabs': "a\t'+1\t'-2 tabs",
      'lines\r\n=1\n\n－2': "lines\r\n'=1\n\n'－2",
      'quotes;"=1+1"': `quotes;'"=1+1"`,
      '=1;=2 twice': "'=1;'=2 twice",
      'a;b=1;2-3': 'a;b=1;2-3',
    }
    const metadata = { 'a;=1': 'x;-1', plain: 'a; b' }
    for (const alias of Object.keys(guarded)) {
      const created = await newCandidate(account, { alias, customer: { external_id } })
      await account.patch(`/v1/candidates/${encodeURIComponent(created.candidate_alias)}`, { metadata })
    }
    const text: string = (await account.get('/v1/candidates/export')).body
    const lines: Record<string, string>[] = parse(text, { columns: true })
    assert.deepEqual(
      lines.map((line) => line.candidate_alias),
      Object.values(guarded),
    )
    for (const line of lines) assert.deepEqual(JSON.parse(`${line.metadata}`), metadata)
    for (const cell of text.split(/[;\t\r\n]/)) assert.doesNotMatch(cell, /^["\s\u200b]*[=+\-@－]/)
  })

  test('of many records holds each one once, while others are added', async () => {
    const account = await service.newAccount()
    const { id } = await newCustomer(account)
    const first = await account.claim(id, contractWith())
    const copies = await service.sql(COPY_CLAIM, [first.id, 4_500])
    const adding = (async () => {
      for (let n = 0; n < 20; n++) await account.claim(id, contractWith())
    })()
    const lines: Record<string, string>[] = parse((await account.get('/v1/claims/export')).body, {
      columns: true,
    })
    await adding
    const ids = new Set(lines.map((line) => line.id))
    assert.equal(ids.size, lines.length)
    for (const copy of [first, ...copies]) assert.ok(ids.has(`${copy.id}`))
  })

  test('takes no page, and answers 400 before it sends a line', async () => {
    for (const path of Object.keys(COLUMNS)) {
      for (const query of ['after=x', 'limit=1', 'order=up', 'status=open']) {
        assert.equal((await api.get(`${path}/export?${query}`)).status, 400, query)
      }
    }
  })

  test('reads page by page as fast as the caller takes them, and no further when the caller is gone', async (t) => {
    const row = { ...NO_CLAIM, id: 'x'.repeat(1_000) }
    let pages = 0
    const ended = Promise.withResolvers<void>()
    async function* endless() {
      try {
        for (; ; pages++) yield Array.from({ length: 1_000 }, () => row)
      } finally {
        ended.resolve()
      }
    }
    const server = bareServer()
    server.get('/', (_request, reply) => sendCsv(reply, 'endless', CLAIM_COLUMNS, endless()))
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    t.after(() => server.close())

    const [response] = await once(request(url).end(), 'response')
    await once(response, 'readable')
    response.read(1)
    response.destroy()
    await ended.promise
    assert.ok(pages < 50, `${pages} pages of 1 MB were read for one byte`)
  })

  test('that finds nothing for long begins all the same, and reads no further when the caller is gone', async (t) => {
    const most = 100_000
    let pages = 0
    const ended = Promise.withResolvers<void>()
    async function* empty() {
      try {
        for (; pages < most; pages++) {
          await nextTurn()
          yield []
        }
      } finally {
        ended.resolve()
      }
    }
    const server = bareServer()
    server.get('/', (_request, reply) => sendCsv(reply, 'empty', CLAIM_COLUMNS, empty()))
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    t.after(() => server.close())

    const [response] = await once(request(url).end(), 'response')
    await once(response, 'readable')
    assert.match(`${response.read()}`, /^id,/)
    response.destroy()
    await ended.promise
    assert.ok(pages < most, `${pages} pages were read`)
  })

  test('to HEAD reads no more than shows that it is there', async (t) => {
    let pages = 0
    const ended = Promise.withResolvers<void>()
    async function* many() {
      try {
        for (; pages < 1_000; pages++) yield Array.from({ length: 1_000 }, () => NO_CLAIM)
      } finally {
        ended.resolve()
      }
    }
    const server = bareServer()
    server.get('/', (_request, reply) => sendCsv(reply, 'many', CLAIM_COLUMNS, many()))
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    t.after(() => server.close())

    const { status, headers } = await fetch(url, { method: 'HEAD' })
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
    await ended.promise
    assert.ok(pages < 10, `${pages} pages were read for nobody`)
  })

  test('that fails midway ends in a reset: HTTP/1.0 tells the end of an answer by that of the connection', async (t) => {
    async function* failing() {
      for (let page = 0; page < 50; page++) yield Array.from({ length: 1_000 }, () => NO_CLAIM)
      throw new Error('the database is away')
    }
    const server = bareServer()
    server.get('/', (_request, reply) => sendCsv(reply, 'failing', CLAIM_COLUMNS, failing()))
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    t.after(() => server.close())

    const { socket, write, receives } = await connectRaw(t, url)
    const ending = new Promise<string>((resolve) => {
      socket.on('end', () => resolve('an end'))
      socket.on('error', ({ message }) => resolve(message))
    })
    write('GET / HTTP/1.0\r\n\r\n')
    await receives(/^HTTP\/1\.1 200 /)
    assert.equal(await ending, 'read ECONNRESET')
  })
})
