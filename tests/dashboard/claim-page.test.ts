import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { runScheduledCheck } from '../../src/app/check/run-scheduled-check.ts'
import { archiveAll, archiveFolder, growOld } from '../support/archived-claims.ts'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

const CONTRACT = contractWith({
  fulfillment_condition: {
    op: 'AND',
    conditions: [{ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }],
  },
})

/** A new claim of the page's account. */
async function newClaim(page: Page): Promise<string> {
  const customer = await sendAs(page, 'POST', '/v1/customers', { external_id: `acme-${performance.now()}` })
  const claim = { customer_id: customer.body.id, contract: CONTRACT }
  return (await sendAs(page, 'POST', '/v1/claims', claim)).body.id
}

test('a claim’s page shows events as they arrive, what they satisfy, and the transition that they cause', async () => {
  const { page, complaints } = await newSignedInPage(service, browser)
  const id = await newClaim(page)
  await page.goto(`/claims/${id}`)
  await page.getByText('Waiting for events.').waitFor()

  const submit = (event: object) => sendAs(page, 'POST', `/v1/claims/${id}/events`, event)
  const condition = page.getByRole('region', { name: 'Condition' })
  await submit({ type: 'ticket_resolved', id: 'ticket-1' })
  await condition.getByRole('link', { name: 'ticket_resolved ticket-1' }).waitFor()
  assert.equal(await condition.getByLabel('Not satisfied:').count(), 2)

  await submit({ type: 'satisfaction', value: 5 })
  await page.getByText('Decided and under review').waitFor()
  await condition.getByLabel('Not satisfied:').first().waitFor({ state: 'detached' })
  await page.getByText('because the event below satisfied the condition').waitFor()
  await page.getByText('only OPEN takes events').waitFor()
  assert.deepEqual(complaints, [])
})

test('an event that the service refuses is told at its field, and nothing is lost', async () => {
  const { page } = await newSignedInPage(service, browser)
  await page.goto(`/claims/${await newClaim(page)}`)
  await page.getByLabel('Type').fill('review_window_elapsed')
  await page.getByRole('button', { name: 'Submit event' }).click()
  const type = page.getByLabel('Type')
  await page
    .getByText(/reserved/i)
    .first()
    .waitFor()
  assert.equal(await type.getAttribute('aria-invalid'), 'true')
  assert.equal(await type.inputValue(), 'review_window_elapsed')
})

test('an event whose fields have a number that would be kept as another is not sent, and says why', async () => {
  const { page } = await newSignedInPage(service, browser)
  const id = await newClaim(page)
  await page.goto(`/claims/${id}`)
  await page.getByLabel('Type').fill('scanned')
  await page.getByText('More fields').click()
  await page.getByLabel('Fields as JSON').fill('{"order": 9007199254740993}')
  await page.getByRole('button', { name: 'Submit event' }).click()
  await page.getByText('Has a number that cannot be kept exactly: write it in quotes, as a text').waitFor()
  await page.getByLabel('Fields as JSON').fill('{"order": "9007199254740993"}')
  await page.getByRole('button', { name: 'Submit event' }).click()
  await page.getByText('Recorded; it stays OPEN').waitFor()
  const { events } = (await sendAs(page, 'GET', `/v1/claims/${id}`)).body
  assert.deepEqual(
    events.map(({ order }: { order: string }) => order),
    ['9007199254740993'],
  )
})

test('another account’s claim, candidate, customer and schema show "Not found"', async () => {
  const { page: owner } = await newSignedInPage(service, browser)
  const { page: stranger } = await newSignedInPage(service, browser)
  const claim = await newClaim(owner)
  const { customer_id } = (await sendAs(owner, 'GET', `/v1/claims/${claim}`)).body
  const { external_id } = (await sendAs(owner, 'GET', `/v1/customers/${customer_id}`)).body
  const candidate = { candidate_alias: `order-${claim}`, customer_uuid: external_id, contract: CONTRACT }
  await sendAs(owner, 'POST', '/v1/candidates', candidate)
  const schema = (await sendAs(owner, 'POST', '/v1/schemas', { contract: CONTRACT })).body.id

  await stranger.goto('/claims/not-an-id')
  await stranger.getByRole('heading', { name: 'Not found' }).waitFor()
  const paths = [
    `/claims/${claim}`,
    `/candidates/order-${claim}`,
    `/customers/${customer_id}`,
    `/schemas/${schema}`,
  ]
  for (const path of paths) {
    await stranger.goto(path)
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor()
    await owner.goto(path)
    await owner.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await owner.getByRole('heading', { name: 'Not found' }).count(), 0, path)
  }
})

test('the page of a claim that was archived says so, and in which file it is', async (t) => {
  const folder = await archiveFolder(t)
  const { page, complaints } = await newSignedInPage(service, browser)
  const id = await newClaim(page)
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'ticket_resolved' })
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'satisfaction', value: 5 })
  await runScheduledCheck(service.app, new Date(Date.now() + 3_600_000))
  await growOld(service)
  assert.ok((await archiveAll(service.app, folder)) > 0)
  await page.goto(`/claims/${id}`)
  await page.getByRole('heading', { name: 'Archived' }).waitFor()
  await page.getByText(/is in the file \d{4}\/claims-\S+\.ndjson\.gz of the archive/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  // The browser itself notes the status of the answer.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('410')),
    [],
  )
})
