import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { loseAnswer } from '../support/lose-answer.ts'
import { newClaimOf, sendAs } from '../support/signed-in-page.ts'

/* What is pressed twice is done once. */

const { newPage, openPage } = await dashboardTests()

test('an event that a proxy answered with its own page is not shown as recorded', async () => {
  const { page } = await newPage()
  const id = await newClaimOf(page)
  await page.goto(`/claims/${id}`)
  const login = { contentType: 'text/html', body: '<title>Sign in to the network</title>' }
  await page.route('**/v1/claims/*/events', (route) => route.fulfill(login), { times: 1 })
  const submit = page.getByRole('button', { name: 'Submit event' })
  await page.getByLabel('Type').fill('seen')
  await submit.click()
  await page.locator('form').getByText('The service cannot be reached').waitFor()
  await submit.click()
  await page.getByText('Event recorded. The status is still OPEN.').waitFor()
})

test('a token whose response was lost is shown by the next attempt and created once', async () => {
  const { page } = await newPage()
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('lost')
  await loseAnswer(page, '**/v1/tokens')
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create token' })
  await create.click()
  await page.getByRole('dialog').getByText('The service cannot be reached').waitFor()
  await create.click()
  await page.getByText('shown only once').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/tokens')).body.data.length, 1)
})

test('a deletion whose response was lost succeeds at the next attempt', async () => {
  const { page } = await newPage()
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

test('incomplete demo data is created again with the existing customer and schema', async () => {
  const { page } = await openPage()
  const demo = page.getByRole('button', { name: 'Create demo data' })
  let posts = 0
  await page.route('**/v1/claims', (route) => (++posts > 2 ? route.abort() : route.continue()))
  await demo.click()
  await page.getByText('The service cannot be reached.').first().waitFor()
  await page.unroute('**/v1/claims')
  await demo.click()
  await page.waitForURL('**/?clock=*')
  for (const path of ['/v1/test_clocks', '/v1/schemas', '/v1/customers'])
    assert.equal((await sendAs(page, 'GET', path)).body.data.length, 1, path)
  assert.equal((await sendAs(page, 'GET', '/v1/claims')).body.data.length, 7)
})
