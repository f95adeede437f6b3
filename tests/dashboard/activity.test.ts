import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { oldNotifications } from '../../src/app/removal/old-notifications.ts'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import { newSignedInPage, openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

const CONTRACT = contractWith({ price: 12.5, review_window: 0 })
const rows = (page: Page) => page.getByRole('table', { name: 'Activity' }).locator('tbody tr')
/** What each row says happened, and to whom, newest first. */
const told = async (page: Page) =>
  (await rows(page).allInnerTexts()).map((text) =>
    text
      .split(/[\t\n]+/)
      .slice(0, 2)
      .join(' ')
      // Times are kept in one line by blanks that do not break.
      .replaceAll('\u00a0', ' '),
  )
const liveness = (page: Page, words: string) =>
  page.getByRole('main').getByRole('status').getByText(words, { exact: true }).waitFor()
const createCandidates = async (page: Page, ...aliases: string[]) => {
  for (const candidate_alias of aliases) {
    const candidate = { candidate_alias, customer_uuid: 'acme', contract: CONTRACT }
    assert.equal((await sendAs(page, 'POST', '/v1/candidates', candidate)).status, 201)
  }
}
const createCustomer = async (page: Page, external_id: string): Promise<string> =>
  (await sendAs(page, 'POST', '/v1/customers', { external_id })).body.id

test('the page of activity grows by itself, newest first, and leads to what it tells of', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('Nothing has happened yet').waitFor()
  await liveness(page, 'Live')

  const customer = await createCustomer(page, 'acme')
  await createCandidates(page, 'live-0001')
  await page.getByRole('link', { name: 'live-0001' }).waitFor()
  const frozen = { name: 'January', frozen_time: '2026-01-01T00:00:00.000Z' }
  const clock = (await sendAs(page, 'POST', '/v1/test_clocks', frozen)).body.id
  const claim = { customer_id: customer, contract: CONTRACT, test_clock_id: clock }
  const { id } = (await sendAs(page, 'POST', '/v1/claims', claim)).body
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'done' })
  await sendAs(page, 'POST', `/v1/test_clocks/${clock}/advance`, { frozen_time: '2026-01-01T00:01:00.000Z' })

  await eventually(async () => (await rows(page).count()) === 5)
  const name = `${id.slice(0, 8)}…${id.slice(-6)}`
  assert.deepEqual(await told(page), [
    'Test clock advanced to 1 Jan 2026, 00:01:00 UTC January',
    `Claim confirmed ${name}`,
    `Claim became pending to be CONFIRMED ${name}`,
    `Claim created ${name}`,
    'Candidate created live-0001',
  ])
  const confirmed = rows(page).nth(1)
  assert.match(await confirmed.innerText(), /12\.50/)
  assert.equal(await confirmed.getByLabel('on a test clock').count(), 1)
  assert.doesNotMatch(await rows(page).nth(3).innerText(), /12\.50/)
  await confirmed.getByRole('link').click()
  await page.waitForURL(`**/claims/${id}`)
  assert.deepEqual(complaints, [])
})

test('what happened before is there, what is older on demand; filters are in the URL', async () => {
  const { page, complaints } = await newSignedInPage(service, browser)
  const acme = await createCustomer(page, 'acme')
  const globex = await createCustomer(page, 'globex')
  const aliases = Array.from({ length: 70 }, (_, n) => `list-${1000 + n}`)
  await createCandidates(page, ...aliases)
  const claim = { customer_id: globex, contract: CONTRACT }
  const { id } = (await sendAs(page, 'POST', '/v1/claims', claim)).body
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'done' })

  await page.goto('/activity')
  await eventually(async () => (await rows(page).count()) === 50)
  await liveness(page, 'Live')
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
  const all = await told(page)
  assert.equal(all.length, 72)
  assert.deepEqual(all.slice(2), aliases.map((alias) => `Candidate created ${alias}`).toReversed())

  await page.getByLabel('What happened').selectOption('Claim became pending')
  await page.waitForURL('**/activity?type=claim.pending')
  await eventually(async () => (await rows(page).count()) === 1)
  await page.getByLabel('Customer').fill('acme')
  await page.waitForURL(`**/activity?type=claim.pending&customer=${acme}`)
  await page.getByText('Nothing fits the filters').waitFor()
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Customer')
  await liveness(page, 'Live')
  const another = { customer_id: acme, contract: CONTRACT }
  const other = (await sendAs(page, 'POST', '/v1/claims', another)).body.id
  await sendAs(page, 'POST', `/v1/claims/${other}/events`, { type: 'done' })
  await page.getByRole('link', { name: other.slice(-6) }).waitFor()
  assert.equal(await rows(page).count(), 1)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL('**/activity')
  await eventually(async () => (await rows(page).count()) === 50)
  assert.deepEqual(complaints, [])
})

test('a claim is called by its reference, with the name of its schema', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  const customer_id = await createCustomer(page, 'acme')
  const schema = { contract: CONTRACT, name: 'Delivery' }
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', schema)).body
  await sendAs(page, 'POST', '/v1/claims', { customer_id, schema_id: id, reference: 'order-4711' })
  await page.goto('/activity')
  const record = rows(page).getByRole('cell').nth(1)
  await record.getByText('Delivery').waitFor()
  await record.getByRole('link', { name: 'order-4711' }).click()
  await page.getByRole('heading', { name: 'Claim order-4711', level: 1 }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a page that is held, or out of sight, or left, has no stream; it goes on with what it has missed', async () => {
  const { page } = await newSignedInPage(service, browser)
  const streams = watchStreams(page)
  await createCustomer(page, 'acme')
  await page.goto('/activity')
  await liveness(page, 'Live')
  await eventually(async () => streams.open() === 1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await liveness(page, 'Paused')
  await eventually(async () => streams.open() === 0)
  await createCandidates(page, 'held-0001', 'held-0002')
  assert.equal(await rows(page).count(), 0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await eventually(async () => (await rows(page).count()) === 2)
  await eventually(async () => streams.open() === 1)

  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      && document.dispatchEvent(new Event('visibilitychange'))`)
  await setVisibility('hidden')
  await eventually(async () => streams.open() === 0)
  await createCandidates(page, 'held-0003')
  await setVisibility('visible')
  await page.getByRole('link', { name: 'held-0003' }).waitFor()
  await eventually(async () => streams.open() === 1)

  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  await eventually(async () => streams.open() === 0)
  assert.equal(streams.mostAtOnce(), 1)
})

test('after a pause in which much happened the list begins anew at the newest, without a gap', async () => {
  const { page } = await newSignedInPage(service, browser)
  await createCustomer(page, 'acme')
  await createCandidates(page, 'anew-first')
  await page.goto('/activity')
  await page.getByRole('link', { name: 'anew-first' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await liveness(page, 'Paused')
  const aliases = Array.from({ length: 130 }, (_, n) => `anew-${1000 + n}`)
  await createCandidates(page, ...aliases)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('link', { name: 'anew-1129' }).waitFor()
  await eventually(async () => {
    // It is gone as soon as there is no more to show.
    const more = page.getByRole('button', { name: 'Show more' })
    if ((await more.count()) > 0) await more.click({ timeout: 1_000 }).catch(() => {})
    return (await rows(page).count()) === 131
  })
  const expected = ['anew-first', ...aliases].map((alias) => `Candidate created ${alias}`)
  assert.deepEqual(await told(page), expected.toReversed())
})

test('a connection that breaks is made again, and nothing is missed or told twice; if it lasts, the page says so', async () => {
  const way = await startWay(service.url)
  const { page } = await newSignedInPage({ ...service, url: way.url }, browser)
  await createCustomer(page, 'acme')
  await createCandidates(page, 'broken-0001')
  await page.goto('/activity')
  await page.getByRole('link', { name: 'broken-0001' }).waitFor()
  await liveness(page, 'Live')
  way.breakAll()
  await createCandidates(page, 'broken-0002')
  await page.getByRole('link', { name: 'broken-0002' }).waitFor()

  way.close()
  await liveness(page, 'Connection lost')
  await page.getByText('What is shown may be out of date.').waitFor()
  const candidate = { candidate_alias: 'broken-0003', customer_uuid: 'acme', contract: CONTRACT }
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${service.url}/v1/candidates`, {
    method: 'POST',
    headers: { Cookie: cookie, Origin: service.url, 'Content-Type': 'application/json' },
    body: JSON.stringify(candidate),
  })
  assert.equal(answer.status, 201)
  way.open()
  await page.getByRole('link', { name: 'broken-0003' }).waitFor()
  await liveness(page, 'Live')
  const expected = ['broken-0003', 'broken-0002', 'broken-0001'].map((alias) => `Candidate created ${alias}`)
  assert.deepEqual(await told(page), expected)
})

test('where no stream comes through, long polls take its place', async () => {
  const { page } = await newSignedInPage(service, browser)
  await createCustomer(page, 'acme')
  let refused = 0
  await page.route('**/v1/notifications*', async (route) => {
    if (route.request().headers().accept !== 'text/event-stream') return route.continue()
    refused++
    const error = { code: 'RATE_LIMITED', message: 'Too many streams.', request_id: 'req_1' }
    await route.fulfill({ status: 429, json: { error } })
  })
  await page.goto('/activity')
  await liveness(page, 'Live')
  for (const alias of ['polled-0001', 'polled-0002']) {
    await createCandidates(page, alias)
    await page.getByRole('link', { name: alias }).waitFor()
  }
  assert.equal(refused, 1)
  assert.equal(await page.getByText('Connection lost').count(), 0)
})

test('where all that happened has been removed for its age, what comes is shown all the same', async () => {
  const { page } = await newSignedInPage(service, browser)
  const streams = watchStreams(page)
  const customer = await createCustomer(page, 'acme')
  await createCandidates(page, 'removed-0001')
  await service.sql("UPDATE notifications SET created_at = '2025-01-01'")
  await oldNotifications(service.app, 30).removeSome(() => false)
  await page.goto(`/activity?customer=${customer}`)
  await page.getByText('Nothing fits the filters').waitFor()
  await liveness(page, 'Live')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await liveness(page, 'Live')
  await createCandidates(page, 'removed-0002')
  await page.getByRole('link', { name: 'removed-0002' }).waitFor()
  assert.equal(await rows(page).count(), 1)
  assert.equal(streams.begun(), 2)
})

test('a session that ends leads to the sign-in page; a customer that cannot be one is told', async () => {
  const { page } = await newSignedInPage(service, browser)
  await page.goto('/activity?customer=acme')
  await page.getByRole('heading', { name: 'That did not work' }).waitFor()
  await page.goto('/activity')
  await liveness(page, 'Live')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

/** How many streams of notifications the page has open. */
function watchStreams(page: Page) {
  const streams = new Set<unknown>()
  let most = 0
  let begun = 0
  page.on('request', (request) => {
    if (request.headers().accept !== 'text/event-stream') return
    streams.add(request)
    begun++
    most = Math.max(most, streams.size)
  })
  page.on('requestfailed', (request) => void streams.delete(request))
  page.on('requestfinished', (request) => void streams.delete(request))
  return { open: () => streams.size, mostAtOnce: () => most, begun: () => begun }
}

/** A way to the service that can be cut. */
async function startWay(to: string) {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((socket) => {
    if (!isOpen) return void socket.destroy()
    const onward = connect(Number(port), hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => {})
      end.once('close', () => {
        sockets.delete(end)
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  after(() => {
    breakAll()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAll,
    close: () => {
      isOpen = false
      breakAll()
    },
    open: () => {
      isOpen = true
    },
  }
}

test('single events show once the account asks for them', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await createCustomer(page, 'acme')
  await createCandidates(page, 'eventful-1')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByLabel('What happened').selectOption('Candidate event recorded')
  await page.getByText('Nothing fits the filters').waitFor()
  await page.getByRole('button', { name: 'Tell of each event' }).click()
  await page.getByText('Each event that is recorded is told of.').waitFor()
  await sendAs(page, 'POST', '/v1/candidates/eventful-1/events', { type: 'parcel_scanned' })
  await eventually(async () => (await rows(page).count()) === 1)
  assert.deepEqual(await told(page), ['Candidate event recorded parcel_scanned eventful-1'])

  await page.getByRole('button', { name: 'Leave events out' }).click()
  await page.getByText('Single events are told of only if').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await eventually(async () => (await told(page)).join() === 'Candidate created eventful-1')
  assert.deepEqual(complaints, [])
})

test('the page is live though many events were recorded since anything else happened', async () => {
  const { page, complaints } = await newSignedInPage(service, browser)
  await createCustomer(page, 'acme')
  await createCandidates(page, 'busy-0001')
  await sendAs(page, 'PATCH', '/v1/notification_settings', { event_recorded: true })
  const events = Array.from({ length: 1_000 }, () => ({ candidate_alias: 'busy-0001', type: 'scan' }))
  for (const some of [events, events.slice(0, 200)])
    assert.equal((await sendAs(page, 'POST', '/v1/events/batch', { events: some })).status, 200)
  for (const query of ['?type=candidate.event_recorded', '']) {
    await page.goto(`${service.url}/activity${query}`)
    await liveness(page, 'Live')
  }
  await createCandidates(page, 'next-0001')
  await page.getByRole('link', { name: 'next-0001' }).waitFor()
  assert.deepEqual(complaints, [])
})
