import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

const CONTRACT = contractWith({ price: 49.5 })

test('older versions are shown on demand, and a version that is no longer stored is explained', async () => {
  const { page } = await newPage()
  const history = page.getByRole('region', { name: 'History' })
  const changes = Array.from({ length: 101 }, (_, i) => ({ contract: { ...CONTRACT, price: i } }))
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract: CONTRACT })).body
  for (const change of changes) await sendAs(page, 'PATCH', `/v1/schemas/${id}`, change)
  await page.goto(`/schemas/${id}?version=2`)
  await history.getByText(/^Version 2 is no longer stored\./).waitFor()
  await history.getByRole('button', { name: 'Show 95 older' }).click()
  await history
    .getByRole('listitem', { name: 'Version 3', exact: true })
    .getByText('Oldest stored version.')
    .waitFor()
  await eventually(async () => (await history.getByRole('listitem', { name: /^Version/ }).count()) === 100)
})
