import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import {
  CONTRACT,
  createCandidates,
  liveness,
  rows,
  shownEntries,
  watchStreams,
} from '../support/activity-page.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { createCustomer, newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { oldNotifications } from '../support/source/webhooks.ts'

const { browser, newPage, service } = await dashboardTests()

test('after a long pause the list reloads from the newest entry without a gap', async () => {
  const { page } = await newPage()
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
  assert.deepEqual(await shownEntries(page), expected.toReversed())
})

test('a broken connection is restored without missing or repeated entries, and a longer interruption is shown', async () => {
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
  await page.getByText('This list may be out of date.').waitFor()
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
  assert.deepEqual(await shownEntries(page), expected)
})

test('long polls replace streams that a proxy blocks', async () => {
  const { page } = await newPage()
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

test('new entries are shown although all older notifications were removed', async () => {
  const { page } = await newPage()
  const streams = watchStreams(page)
  const customer = await createCustomer(page, 'acme')
  await createCandidates(page, 'removed-0001')
  await service.sql("UPDATE notifications SET created_at = '2025-01-01'")
  await oldNotifications(service.app, 30).removeBatches(() => false)
  await page.goto(`/activity?customer=${customer}`)
  await page.getByText('Nothing matches the filters').waitFor()
  await liveness(page, 'Live')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await liveness(page, 'Live')
  await createCandidates(page, 'removed-0002')
  await page.getByRole('link', { name: 'removed-0002' }).waitFor()
  assert.equal(await rows(page).count(), 1)
  assert.equal(streams.begun(), 2)
})

test('an ended session opens the sign-in page, and an invalid customer filter shows an error', async () => {
  const { page } = await newPage()
  await page.goto('/activity?customer=acme')
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
  await page.goto('/activity')
  await liveness(page, 'Live')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

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

test('the page is live although many events were recorded since the last other notification', async () => {
  const { page, pageErrors } = await newPage()
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
  assert.deepEqual(pageErrors, [])
})
