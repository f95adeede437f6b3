import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startBrowser({ after })
const { page } = await openSignedInPage(service, browser)

const EVENTS = 10_000
const BATCH = 1000
const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
const claim = (await sendAs(page, 'POST', '/v1/claims', { customer_id: customer, contract: contractWith() }))
  .body.id
const submitUpTo = async (last: number) => {
  for (let from = 0; from < last; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, last - from) }, (_, i) => ({
      claim_id: claim,
      id: `event-${from + i}`,
      type: 'scanned',
      place: `gate ${i}`,
    }))
    assert.equal((await sendAs(page, 'POST', '/v1/events/batch', { events })).status, 200)
  }
}
await submitUpTo(EVENTS - 1)

test('the page of a claim whose log is full says so in place of the form', async () => {
  await page.goto(`/claims/${claim}`)
  const card = page.getByRole('region', { name: 'Submit an event' })
  await card.getByLabel('Type').fill('scanned')
  await card.getByRole('button', { name: 'Submit event' }).click()
  await card.getByText('holds 10,000 events, the most that a claim takes').waitFor()
  assert.equal(await card.getByRole('button').count(), 0)
  assert.equal(await card.getByLabel('Type').count(), 0)
})
