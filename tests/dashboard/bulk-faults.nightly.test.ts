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
import { dashboardTests } from '../support/dashboard.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'

const dashboard = await dashboardTests()
const { openWithCandidates, logsOf, assertAllHave } = bulkTests(dashboard)

/** A minute's patience is half a second then, and the pauses between tries are short. */
const HURRY = `{
  const { timeout } = AbortSignal
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 120)
  const wait = window.setTimeout
  window.setTimeout = (work, ms, ...others) => wait(work, ms / 100, ...others)
}`

test('a response that does not come from the service is retried, while counting and while sending', async () => {
  // An init script stays.
  const { page, names } = await openWithCandidates(3, { ownPage: true })
  await page.addInitScript(HURRY)
  await page.goto('/candidates?customer=acme')
  await page.getByRole('link', { name: names[0] ?? '' }).waitFor()
  const login = { contentType: 'text/html', body: '<title>Sign in to the network</title>' }
  const lists: string[] = []
  await page.route(/\/v1\/candidates\?.*limit=100/, (route) => {
    lists.push(route.request().url())
    // The first one gets no answer.
    if (lists.length === 2) return route.fulfill(login)
    if (lists.length === 3) return route.fulfill({ json: {} })
    if (lists.length === 4) return route.fulfill({ json: { data: [] } })
    if (lists.length > 4) return route.continue()
  })
  const batches: { id: string }[][] = []
  await page.route('**/v1/events/batch', async (route) => {
    batches.push(route.request().postDataJSON().events)
    const { results } = await (await route.fetch()).json()
    if (batches.length === 1) return route.fulfill(login)
    if (batches.length === 2) return route.fulfill({ json: { results: results.slice(1) } })
    if (batches.length === 3) return route.fulfill({ json: { results: [{}, ...results.slice(1)] } })
    if (batches.length === 4)
      return route.fulfill({ json: { results: results.map(() => ({ status: 201 })) } })
    return route.fulfill({ json: { results } })
  })
  await beginCounting(page, { type: 'seen' })
  await button(page, 'Submit to 3 candidates').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '3')
  assert.equal(lists.length, 5)
  assert.equal(batches.length, 5)
  assert.equal(new Set(batches.flat().map(({ id }) => id)).size, 1)
  await assertAllHave(names, 'seen')
})

test('leaving a run stops it, and a report with unsent events asks before it is left', async () => {
  const { page, names } = await openWithCandidates(220)
  await page.goto('/candidates')
  await page.getByLabel('Status').selectOption('OPEN')
  await page.waitForURL('**/candidates?status=OPEN')
  await filterByAcme(page, '**/candidates?status=OPEN&customer=acme')
  await countThem(page, { type: 'seen' })
  const sending = await sendUntilSecondPiece(page)
  const goBackAnd = async (title: string, answer: 'Leave' | 'Cancel') => {
    await page.evaluate('history.back()')
    const question = page.getByRole('dialog', { name: title })
    await question.getByRole('button', { name: answer }).click()
    await question.waitFor({ state: 'detached' })
  }
  await goBackAnd('Leave while events are being sent?', 'Leave')
  await page.waitForURL('**/candidates?status=OPEN')
  await dialog(page).waitFor({ state: 'detached' })
  const last = page.waitForResponse('**/v1/events/batch')
  sending.release()
  await (await last).finished()
  await page.evaluate('history.forward()')
  await page.waitForURL('**/candidates?status=OPEN&customer=acme')
  assert.equal(sending.piecesSent(), 2)
  assert.equal((await logsOf(names)).length, 200)

  await page.unroute('**/v1/events/batch')
  await countThem(page, { type: 'seen again' })
  await page.context().setOffline(true)
  await button(page, /^Submit to/).click()
  await dialog(page).getByText('The service cannot be reached.').waitFor()
  await button(page, 'Stop').click()
  await dialog(page)
    .getByText(/The event id is bulk-\w+/)
    .waitFor()
  await goBackAnd('Leave the report?', 'Cancel')
  await page.context().setOffline(false)
  await button(page, 'Send the rest').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '220')
  await page.evaluate('history.back()')
  await page.waitForURL('**/candidates?status=OPEN')
})

test('a run pauses if another account has signed in: nothing is counted, sent or refused', async () => {
  const { page, email, names } = await openWithCandidates(2)
  const own = await page.context().cookies()
  const other = await newSignedInPage(dashboard.service, dashboard.browser)
  const signInAsOther = async () => page.context().addCookies(await other.page.context().cookies())
  const isPaused = () =>
    dialog(page)
      .getByText(`The list belongs to \u2068${email}\u2069, but \u2068${other.email}\u2069 is signed in now.`)
      .waitFor()
  await page.goto('/candidates?customer=acme')
  await page.getByRole('link', { name: names[0] ?? '' }).waitFor()
  await signInAsOther()
  await beginCounting(page, { type: 'seen' })
  await isPaused()
  await page.context().addCookies(own)
  await button(page, 'Back').click()
  await button(page, 'Count recipients').click()
  await button(page, /^Submit to/).waitFor()
  await signInAsOther()
  await button(page, /^Submit to/).click()
  await isPaused()
  assert.deepEqual(await logsOf(names), [])

  // The answer is lost, and the other signs in at the very moment at which it is sent again.
  let tries = 0
  await page.route('**/v1/events/batch', async (route) => {
    tries++
    if (tries === 1) return route.fetch().then(() => route.abort())
    if (tries > 2) return route.continue()
    await signInAsOther()
    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    const data = route.request().postDataJSON()
    const response = await other.page.request.post('/v1/events/batch', { headers, data })
    return route.fulfill({ response })
  })
  await page.context().addCookies(own)
  await button(page, 'Resume').click()
  await isPaused()
  await button(page, 'Stop').click()
  assert.equal(await figure(page, 'No answer'), '2')
  assert.equal(await dialog(page).getByText('Refused').count(), 0)
  await page.context().addCookies(own)
  await button(page, 'Send the rest').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '2')
  await assertAllHave(names, 'seen')
})

test('an unanswered event of a deleted candidate is not sent again', async () => {
  const { page } = await openWithCandidates(1)
  const time = { frozen_time: '2026-01-01T00:00:00Z' }
  const test_clock_id: string = (await sendAs(page, 'POST', '/v1/test_clocks', time)).body.id
  const on = { customer_uuid: 'acme', contract: contractWith(), test_clock_id }
  const body = { candidate_alias: 'gone-before-it-is-known', ...on }
  assert.equal((await sendAs(page, 'POST', '/v1/candidates', body)).status, 201)
  await page.goto(`/candidates?clock=${test_clock_id}`)
  await countThem(page, { type: 'seen' })
  await page.route('**/v1/events/batch', async (route) => {
    await route.fetch()
    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    await page.request.delete(`/v1/test_clocks/${test_clock_id}`, { headers })
    await route.abort()
  })
  await button(page, 'Submit to 1 candidate').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'No answer, gone since'), '1')
  assert.equal(await button(page, 'Send the rest').count(), 0)
})

test('a candidate that was deleted with its test clock gets no event; the report names a new candidate that got it instead', async () => {
  const { page, names } = await openWithCandidates(1)
  const [live] = names
  const create = async (alias: string, clock: { test_clock_id?: string }) => {
    const body = { candidate_alias: alias, customer_uuid: 'acme', contract: contractWith(), ...clock }
    assert.equal((await sendAs(page, 'POST', '/v1/candidates', body)).status, 201)
  }
  const [early, late] = [`${live}-early`, `${live}-late`]
  const clocks = new Map<string, string>()
  for (const alias of [early, late]) {
    const time = { frozen_time: '2026-01-01T00:00:00Z' }
    const test_clock_id: string = (await sendAs(page, 'POST', '/v1/test_clocks', time)).body.id
    clocks.set(alias, test_clock_id)
    await create(alias, { test_clock_id })
  }
  const makeAnew = async (alias: string) => {
    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    await page.request.delete(`/v1/test_clocks/${clocks.get(alias)}`, { headers })
    await create(alias, {})
  }
  await page.goto('/candidates?customer=acme')
  await countThem(page, { type: 'seen' })
  await makeAnew(early)
  await page.route('**/v1/events/batch', async (route) => {
    await makeAnew(late)
    await route.continue()
  })
  await button(page, 'Submit to 3 candidates').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '1')
  const group = (title: string) => dialog(page).getByRole('region', { name: title })
  await group('Refused').getByText('The candidate was deleted with its test clock.').click()
  await group('Refused').getByRole('link', { name: early }).waitFor()
  await group('Recorded by another candidate').getByText('1 candidate').click()
  await group('Recorded by another candidate').getByRole('link', { name: late }).waitFor()
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await assertAllHave([live as string, late], 'seen')
  assert.deepEqual(await logsOf([early]), [])
})
