import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { archiveAll, archiveFolder, growOld, resolvedClaims } from '../support/archived-claims.ts'
import { contractWith } from '../support/contracts.ts'
import { sharedBrowser } from '../support/shared.ts'
import { createAs, createCustomer, newSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

// Of its own: a test makes all claims of the service older.
const service = await startTestService({ after })
const browser = await sharedBrowser()

test('the page of an archived claim names the file of the archive', async (t) => {
  const folder = await archiveFolder(t)
  const { page, pageErrors } = await newSignedInPage(service, browser)
  const { token } = (await sendAs(page, 'POST', '/v1/tokens', { name: 'test' })).body
  const api = service.clientWith(token)
  const [id] = await resolvedClaims(service, api, await api.customer('acme'), 1)
  await growOld(service)
  assert.ok((await archiveAll(service.app, folder)) > 0)
  await page.goto(`/claims/${id}`)
  await page.getByRole('heading', { name: 'Archived' }).waitFor()
  await page.getByText(/is in the file \d{4}\/claims-\S+\.ndjson\.gz of the archive/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  // The browser itself notes the status of the answer.
  assert.deepEqual(
    pageErrors.filter((complaint) => !complaint.includes('status of 410')),
    [],
  )
})

test('another account’s claim, candidate, customer and schema show "Not found"', async () => {
  const { page: owner } = await newSignedInPage(service, browser)
  const { page: stranger } = await newSignedInPage(service, browser)
  const contract = contractWith()
  const customer = await createCustomer(owner, 'acme')
  const claim = await createAs(owner, '/v1/claims', { customer_id: customer, contract })
  const candidate = { candidate_alias: `order-${claim.id}`, customer_uuid: 'acme', contract }
  await createAs(owner, '/v1/candidates', candidate)
  const schema = await createAs(owner, '/v1/schemas', { contract })
  for (const path of [
    `/claims/${claim.id}`,
    `/candidates/order-${claim.id}`,
    `/customers/${customer}`,
    `/schemas/${schema.id}`,
  ]) {
    await stranger.goto(path)
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor()
    await owner.goto(path)
    await owner.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await owner.getByRole('heading', { name: 'Not found' }).count(), 0, path)
  }
})
