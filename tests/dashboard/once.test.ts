import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

/* What is pressed twice is done once. */

const service = await startTestService({ after })
const browser = await startTestBrowser()

/** The next answer from there is lost on its way: what was asked for is done. */
const loseAnswer = (page: Page, path: string) =>
  page.route(
    path,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )

async function newClaim(page: Page): Promise<string> {
  const customer = await sendAs(page, 'POST', '/v1/customers', { external_id: `acme-${performance.now()}` })
  const contract = contractWith({ fulfillment_condition: { event: 'done' } })
  return (await sendAs(page, 'POST', '/v1/claims', { customer_id: customer.body.id, contract })).body.id
}

const eventsOf = async (page: Page, id: string) => (await sendAs(page, 'GET', `/v1/claims/${id}`)).body.events

test('an event whose answer was lost is recorded once, and a later one by itself', async () => {
  const { page } = await newSignedInPage(service, browser)
  const id = await newClaim(page)
  await page.goto(`/claims/${id}`)
  await loseAnswer(page, '**/v1/claims/*/events')
  const submit = page.getByRole('button', { name: 'Submit event' })
  await page.getByLabel('Type').fill('seen')
  await submit.click()
  await page.getByRole('form').or(page.locator('form')).getByText('The service cannot be reached').waitFor()
  await submit.click()
  await page.getByText('Recorded; it stays OPEN').waitFor()
  assert.equal((await eventsOf(page, id)).length, 1)
  await page.getByLabel('Type').fill('seen')
  await submit.click()
  await page.getByRole('listitem').filter({ hasText: 'seen' }).nth(1).waitFor()
  assert.equal((await eventsOf(page, id)).length, 2)
})

test('an event that somebody on the way answered, with a page of his own, is not said to be recorded', async () => {
  const { page } = await newSignedInPage(service, browser)
  const id = await newClaim(page)
  await page.goto(`/claims/${id}`)
  const login = { contentType: 'text/html', body: '<title>Sign in to the network</title>' }
  await page.route('**/v1/claims/*/events', (route) => route.fulfill(login), { times: 1 })
  const submit = page.getByRole('button', { name: 'Submit event' })
  await page.getByLabel('Type').fill('seen')
  await submit.click()
  await page.locator('form').getByText('The service cannot be reached').waitFor()
  await submit.click()
  await page.getByText('Recorded; it stays OPEN').waitFor()
})

test('a form that is sent twice at once makes one token', async () => {
  const { page } = await newSignedInPage(service, browser)
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('quick')
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create token' })
  await create.evaluate(({ form }: { form: { requestSubmit: () => void } }) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await page.getByText('shown only this once').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/tokens')).body.data.length, 1)
})

test('a token whose answer was lost is shown at the next try, and is the only one', async () => {
  const { page } = await newSignedInPage(service, browser)
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('lost')
  await loseAnswer(page, '**/v1/tokens')
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create token' })
  await create.click()
  await page.getByRole('dialog').getByText('The service cannot be reached').waitFor()
  await create.click()
  await page.getByText('shown only this once').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/tokens')).body.data.length, 1)
})

test('a schema whose deletion was done, but not answered, counts as deleted at the next try', async () => {
  const { page } = await newSignedInPage(service, browser)
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract: contractWith() })).body
  await page.goto(`/schemas/${id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete this schema?' })
  await loseAnswer(page, `**/v1/schemas/${id}`)
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('The service cannot be reached').waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Schema deleted').waitFor()
  await page.waitForURL('**/schemas')
})
