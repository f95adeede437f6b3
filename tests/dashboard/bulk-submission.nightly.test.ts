import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  beginCounting,
  bulkTests,
  button,
  countThem,
  dialog,
  figure,
  filterByAcme,
  sendUntilSecondPiece,
} from '../support/bulk-submission.ts'
import { contractWith } from '../support/contracts.ts'
import { focusComesTo } from '../support/controls.ts'
import { COPY_CLAIM } from '../support/copy-claims.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { newPageOf, sendAs } from '../support/signed-in-page.ts'

const dashboard = await dashboardTests()
const { browser, service } = dashboard
const { openWithCandidates, assertAllHave } = bulkTests(dashboard)

test('lost responses, temporary errors and a lost connection are retried, and nothing is recorded twice', async () => {
  const { page, names } = await openWithCandidates(120)
  await page.goto('/candidates?customer=acme')
  await countThem(page, { type: 'seen' })
  let tries = 0
  const times: number[] = []
  await page.route('**/v1/events/batch', async (route) => {
    times.push(performance.now())
    tries++
    const refuse = (status: number, code: string) =>
      route.fulfill({
        status,
        headers: { 'Retry-After': '0' },
        json: { error: { code, message: `It is ${code}.`, status } },
      })
    if (tries === 1) return refuse(429, 'RATE_LIMITED')
    if (tries === 2) return refuse(503, 'UNAVAILABLE')
    const answer = await route.fetch()
    if (tries === 3) return route.abort()
    if (tries === 4) {
      // One of them is to be sent again.
      const { results } = await answer.json()
      results[7] = { status: 503, error: { code: 'UNAVAILABLE', message: 'The outcome is not known.' } }
      return route.fulfill({ response: answer, json: { results } })
    }
    return route.fulfill({ response: answer })
  })
  await button(page, /^Submit to/).click()
  await dialog(page).getByText('The service cannot be reached. Retrying automatically').waitFor()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '120')
  assert.equal(await dialog(page).locator('dl > div').count(), 1)
  // Of those that had it by an earlier try, nobody knows what the event itself did.
  const standing = await dialog(page).getByRole('list', { name: 'Statuses' }).innerText()
  assert.equal(standing.replaceAll(/\s+/g, ' '), '100 are now OPEN 20 stayed OPEN')
  await assertAllHave(names, 'seen')
  assert.equal(tries, 5)
  const [first = 0, second = 0] = times
  assert.ok(second - first > 900, 'Retry-After: 0 is no leave to ask without a pause')
})

test('a run can be paused and stopped, and the report sends the remaining events', async () => {
  const { page, names } = await openWithCandidates(220)
  await page.goto('/candidates')
  await filterByAcme(page, '**/candidates?customer=acme')
  await countThem(page, { type: 'seen' })
  const sending = await sendUntilSecondPiece(page)
  // Neither Escape nor a way back takes it away unasked.
  await page.keyboard.press('Escape')
  await page.evaluate('history.back()')
  const question = page.getByRole('dialog', { name: 'Leave while events are being sent?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  const warning = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  assert.equal((await warning).type(), 'beforeunload')
  await (await warning).dismiss()
  await button(page, 'Pause').click()
  await dialog(page).getByText('Waiting for the last answer…').waitFor()
  sending.release()
  await dialog(page).getByText('Paused: nothing is being sent.').waitFor()
  await dialog(page).getByText('200 of 220').waitFor()
  await page.context().setOffline(true)
  await button(page, 'Resume').click()
  await dialog(page).getByText('The service cannot be reached.').waitFor()
  await button(page, 'Stop').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '200')
  assert.equal(await figure(page, 'Not sent'), '20')
  await page.context().setOffline(false)
  // Who stops while an answer is awaited gets it; what of it was to be sent again is left.
  const last = Promise.withResolvers<void>()
  await page.route('**/v1/events/batch', async (route) => {
    const answer = await route.fetch()
    const { results } = await answer.json()
    results[0] = { status: 503, error: { code: 'UNAVAILABLE', message: 'The outcome is not known.' } }
    await last.promise
    await route.fulfill({ response: answer, json: { results } })
  })
  const sent = page.waitForRequest('**/v1/events/batch')
  await button(page, 'Send the rest').click()
  await sent
  await button(page, 'Stop').click()
  last.resolve()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'No answer'), '1')
  await page.unroute('**/v1/events/batch')
  await button(page, 'Send the rest').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '220')
  await assertAllHave(names, 'seen')
})

test('with a custom event id, the same event counts as recorded before and another event is refused', async () => {
  const { page, names } = await openWithCandidates(3)
  await page.goto('/candidates?customer=acme')
  const [first, second] = names
  await sendAs(page, 'POST', `/v1/candidates/${first}/events`, {
    type: 'seen',
    id: 'scan-1',
    place: 'gate 3',
  })
  await sendAs(page, 'POST', `/v1/candidates/${second}/events`, {
    type: 'seen',
    id: 'scan-1',
    place: 'gate 4',
  })
  await countThem(page, { type: 'seen', fields: { id: 'scan-1', place: 'gate 3' } })
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await button(page, /^Submit to/).click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '1')
  assert.equal(await figure(page, 'Already recorded'), '1')
  await dialog(page).getByText('EVENT_ID_CONFLICT').click()
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await assertAllHave(names, 'seen')
})

test('a value is read in the browser’s locale or refused with the reason', async () => {
  const { page, pageErrors, names } = await openWithCandidates(2, { ownPage: true, locale: 'de-DE' })
  await page.goto('/candidates?status=OPEN')
  await page.getByRole('button', { name: 'Submit to all' }).click()
  await dialog(page).getByLabel('Type').fill('seen')
  const value = dialog(page).getByLabel('Value')
  for (const [text, reason] of [
    ['1.234', 'Is ambiguous: write 1234 or 1,234'],
    ['4.5', 'Must be written with “,”: 4,5, or "4.5" for text'],
  ] as const) {
    await value.fill(text)
    await dialog(page).getByText(reason).waitFor()
    await button(page, 'Count recipients').click()
    await focusComesTo(value)
  }
  await value.fill('4,5')
  await dialog(page).getByText('sent as a number').waitFor()
  await button(page, 'Count recipients').click()
  await dialog(page).getByLabel('No filter is set').fill('3')
  await button(page, /^Submit to/).click()
  await button(page, 'Done').waitFor()
  const { events } = (await sendAs(page, 'GET', `/v1/candidates/${names[0]}`)).body
  assert.equal(events[0].value, 4.5)
  assert.deepEqual(pageErrors, [])
})

test('the filters at the start of counting apply, including the last typed key, and the confirmation names them', async () => {
  const { page, names } = await openWithCandidates(2)
  await sendAs(page, 'PATCH', '/v1/me', { time_zone: 'Asia/Kathmandu' })
  const metadata = { order_id: 'A 1', note: '' }
  await sendAs(page, 'PATCH', `/v1/candidates/${names[0]}`, { metadata })
  await page.goto('/candidates?customer=acme&price_from=0.5&metadata[order_id]=A 1&metadata[note]=')
  await page.getByRole('link', { name: names[0] ?? '' }).waitFor()
  await page.getByLabel('Created from', { exact: true }).fill('2020-01-31')
  await page.getByLabel('Search candidates').fill(names[0] ?? '')
  await countThem(page, { type: 'seen' })
  await dialog(page).getByText('The list has 1 candidate. 1 candidate is OPEN and gets the event.').waitFor()
  const filters = await dialog(page)
    .getByRole('list', { name: 'Filters' })
    .getByRole('listitem')
    .allInnerTexts()
  assert.deepEqual(
    filters.map((filter) => filter.replaceAll('\u00a0', ' ')),
    [
      'customer acme',
      'price from 0.5',
      'created from 31 Jan 2020, 00:00:00 GMT+5:45',
      `search ${names[0]}`,
      'note (blank)',
      'order_id A 1',
    ],
  )
  // A blank value says which too.
  await page.goto('/candidates?metadata[note]=')
  await countThem(page, { type: 'seen' })
  assert.equal(await dialog(page).getByLabel('No filter is set').count(), 0)
})

test('a list of more than 10,000 claims is refused with advice', async () => {
  const { page } = await openWithCandidates(1)
  const customer_id = (await sendAs(page, 'GET', '/v1/customers')).body.data[0].id
  const claim = await sendAs(page, 'POST', '/v1/claims', { customer_id, contract: contractWith() })
  await service.sql(COPY_CLAIM, [claim.body.id, 10_000])
  await page.goto('/claims?clock=live')
  await page.getByRole('button', { name: 'Submit to all' }).click()
  await dialog(page).getByLabel('Type').fill('seen')
  await button(page, 'Count recipients').click()
  await dialog(page).getByText('The list has more than 10,000 claims').waitFor()
})

test('an event of more than 256 KiB is refused before anything is counted', async () => {
  const { page } = await openWithCandidates(1)
  await page.goto('/candidates')
  await beginCounting(page, { type: 'seen', fields: { note: 'x'.repeat(256 * 1024) } })
  await dialog(page).getByText('the maximum is 256 KiB').waitFor()
})

test('a run whose session has ended continues after a sign-in in another tab', async () => {
  const { page, email, names } = await openWithCandidates(2)
  await page.goto('/candidates?customer=acme')
  await countThem(page, { type: 'seen' })
  await page.context().clearCookies()
  await button(page, /^Submit to/).click()
  await dialog(page).getByText('You are signed out.').waitFor()
  const other = await newPageOf(service, browser, email)
  await page.context().addCookies(await other.page.context().cookies())
  await button(page, 'Resume').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '2')
  await assertAllHave(names, 'seen')
})
