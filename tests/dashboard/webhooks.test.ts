import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { contractWith } from '../support/contracts.ts'
import { button, clickBeside, focusComesTo, isClosed } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { newClaimOf, sendAs } from '../support/signed-in-page.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { newEndpointOf, region } from '../support/webhooks-page.ts'

const { newPage, openPage } = await dashboardTests()

test('a new endpoint shows its secret until confirmed, and the secret verifies deliveries', async () => {
  const { page, pageErrors } = await openPage()
  const receiver = await startWebhookReceiver({ after })
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No endpoints yet').waitFor()
  await button(page, 'Create endpoint').first().click()
  await page.getByLabel('URL').fill(`${receiver.url}/hook`)
  await page.getByLabel('Description (optional)').fill('billing')
  await page.getByLabel('All types').uncheck()
  for (const type of ['Claim created', 'Claim failed']) await page.getByLabel(type).uncheck()
  await button(page, 'Create').click()

  const dialog = page.getByRole('dialog', { name: 'Copy the secret now' })
  const secret = await dialog.locator('code').innerText()
  assert.match(secret, /^whsec_/)
  for (let n = 0; n < 3; n++) await page.keyboard.press('Escape')
  await clickBeside(page)
  await clickBeside(page)
  assert.ok(await dialog.isVisible())
  assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0)
  await button(page, 'I have copied it').click()
  await page.getByRole('heading', { name: 'billing', level: 1 }).waitFor()
  assert.equal(await page.getByText(secret).count(), 0)
  const [endpoint] = (await sendAs(page, 'GET', '/v1/webhook_endpoints')).body.data
  assert.equal(endpoint.types.length, 12)
  assert.ok(endpoint.types.includes('claim.outcome_changed'))
  assert.ok(!endpoint.types.includes('claim.failed'))

  await button(page, 'Send a test').click()
  await region(page, 'Test').getByText('succeeded').waitFor()
  await region(page, 'Test').getByText('200', { exact: true }).waitFor()
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
  new Webhook(secret).verify(body, headers as Record<string, string>)
  await region(page, 'Health').getByText('100.0 %').waitFor()
  await page.getByRole('link', { name: 'Webhooks' }).click()
  const row = page.getByRole('row', { name: /billing/ })
  await row.getByRole('cell', { name: '100.0 %', exact: true }).waitFor()
  await row.getByText('on', { exact: true }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('invalid settings of an endpoint are reported at their fields, and the first invalid field has the focus', async () => {
  const { page } = await newPage()
  await page.goto('/webhooks')
  await button(page, 'Create endpoint').first().click()
  const url = page.getByLabel('URL')
  const all = page.getByLabel('All types')
  await url.fill('ftp://example.com')
  await page.getByLabel('All customers').uncheck()
  await all.uncheck()
  for (const box of await page.getByRole('group', { name: 'What is sent' }).getByRole('checkbox').all())
    if (await box.isChecked()) await box.uncheck()
  await page.getByLabel('Customer', { exact: true }).fill('nobody')
  await button(page, 'Create').click()
  await page.getByText('Choose at least one type').waitFor()
  await page.getByText(/There is no customer \W*nobody/).waitFor()
  await focusComesTo(all)
  await all.check()
  await page.getByLabel('All customers').check()
  for (const wrong of ['ftp://example.com', 'nowhere']) {
    await url.fill(wrong)
    await button(page, 'Create').click()
    // The field may have the focus before the answer says that it is wrong again.
    await focusComesTo(url.and(page.locator('[aria-invalid=true]')))
  }
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('an endpoint is edited, disabled and enabled, its secret rotated, and deleted', async () => {
  const { page, pageErrors } = await newPage()
  const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
  const { id } = await newEndpointOf(page)
  await page.goto(`/webhooks/${id}`)
  await button(page, 'Edit').click()
  await page.getByLabel('Description (optional)').fill('shipping')
  await page.getByLabel('All customers').uncheck()
  await page.getByLabel('Customer', { exact: true }).fill('acme')
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'shipping', level: 1 }).waitFor()
  const read = async () => (await sendAs(page, 'GET', `/v1/webhook_endpoints/${id}`)).body
  assert.deepEqual([(await read()).customer_id, (await read()).description], [customer, 'shipping'])

  await button(page, 'Disable').click()
  await region(page, 'Health').getByText('off', { exact: true }).waitFor()
  await button(page, 'Send a test').click()
  await page.getByText('It is sent once the endpoint is enabled.').waitFor()
  await button(page, 'Enable').click()
  await region(page, 'Test').getByText('succeeded').waitFor()

  await button(page, 'Rotate secret').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy the secret now' })
  await dialog.getByText('The old secret also signs until').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  assert.match(await dialog.locator('code').innerText(), /^whsec_/)
  await button(page, 'I have copied it').click()
  await isClosed(dialog)

  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No endpoints yet').waitFor()
  await page.goto(`/webhooks/${id}`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  assert.deepEqual(
    pageErrors.filter((text) => !text.includes('status of 404')),
    [],
  )
})

test('deliveries show attempts and body, are filtered by status, and are sent again one by one or by period', async () => {
  const { page, pageErrors } = await newPage()
  const { id, receiver } = await newEndpointOf(page)
  receiver.answer((response) => {
    response.statusCode = 400
    response.end('<b>no</b> \u202Ethanks')
  })
  await newClaimOf(page)
  await page.goto(`/webhooks/${id}?status=failed`)
  const deliveries = region(page, 'Deliveries')
  await deliveries.getByText('#1').click()
  await deliveries.getByText('The answer is 400.').first().waitFor()
  await deliveries.getByText('<b>no</b> \u202Ethanks').first().waitFor()
  const body = deliveries.locator('pre').last()
  assert.equal(JSON.parse(await body.innerText()).type, 'claim.created')

  receiver.answer((response) => response.end('ok'))
  await deliveries.getByRole('button', { name: 'Send again', exact: true }).click()
  await deliveries.getByText('No delivery is failed.').waitFor()
  await deliveries.getByLabel('Status').selectOption('succeeded')
  await page.waitForURL(`**/webhooks/${id}?status=succeeded`)
  await deliveries.getByText('#1').waitFor()

  const before = receiver.received.length
  await button(page, 'Send a period again').click()
  await page.getByRole('dialog').getByLabel('Status').selectOption('All')
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
  await page.getByText('1 delivery queued again').waitFor()
  await eventually(async () => receiver.received.length > before)
  assert.equal(receiver.received.at(-1)?.body, receiver.received[0]?.body)
  assert.deepEqual(pageErrors, [])
})

test('the pages of claims and candidates show their webhook deliveries if there are endpoints', async () => {
  const { page, pageErrors } = await newPage()
  const claim = await newClaimOf(page)
  const endpoints = page.waitForResponse('**/v1/webhook_endpoints')
  await page.goto(`/claims/${claim}`)
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  await (await endpoints).finished()
  await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))')
  assert.equal(await region(page, 'Webhook deliveries').count(), 0)

  await newEndpointOf(page, { description: 'billing' })
  const { receiver } = await newEndpointOf(page, { description: 'archive' })
  receiver.answer((response) => {
    response.statusCode = 503
    response.end('later')
  })
  const candidate_alias = `sent-${claim}`
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  const candidate = { candidate_alias, customer_uuid: 'acme', contract: contractWith() }
  await sendAs(page, 'POST', '/v1/candidates', candidate)
  await sendAs(page, 'POST', `/v1/claims/${claim}/events`, { type: 'done' })
  await page.reload()
  const sent = region(page, 'Webhook deliveries')
  await sent.getByText('Claim became pending to billing').waitFor()
  await sent.getByText('Claim became pending to archive').click()
  await sent.getByText('The answer is 503.').first().waitFor()
  assert.equal(await sent.getByText('Claim created').count(), 0)
  await page.goto(`/candidates/${candidate_alias}`)
  await sent.getByText('Candidate created to billing').click()
  await sent.getByRole('link', { name: 'billing' }).click()
  await page.getByRole('heading', { name: 'billing', level: 1 }).waitFor()
  assert.deepEqual(pageErrors, [])
})
