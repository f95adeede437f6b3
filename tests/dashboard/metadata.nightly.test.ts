import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { button, focusComesTo, isClosed } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { metadataForm } from '../support/metadata-form.ts'
import { candidatePath, uniqueName } from '../support/new-records.ts'
import { createAs, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()
const { page, pageErrors } = await newPage()
const { card, form, field, save, nextChange, newClaim, edit, shown, openFilter } = await metadataForm(page)

await createAs(page, '/v1/schemas', { contract: contractWith() })

test('long, repeated and missing keys are reported at their fields, and a 51st key is refused with the reason', async () => {
  const { path, read } = await newClaim(
    Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`k${i}`, `${i}`])),
  )
  await edit(path)
  await button(form, 'Add a key').click()
  await focusComesTo(field('Key', 50))
  await field('Key', 50).fill('🙂'.repeat(41))
  await form.getByText('41 characters: a key can have at most 40').waitFor()
  await field('Key', 50).fill('🙂'.repeat(40))
  await field('Value', 50).fill('🙂'.repeat(501))
  await form.getByText('501 characters: a value can have at most 500').waitFor()
  await form.getByText('50 keys is the maximum.').waitFor()
  assert.equal(await button(form, 'Add a key').getAttribute('aria-disabled'), 'true')
  await field('Key', 3).fill('k0')
  await form.getByText('This key is already used above').waitFor()
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await save()
  await focusComesTo(field('Key', 3))
  await field('Key', 3).fill('')
  await form.getByText('This key is already used above').waitFor({ state: 'detached' })
  await field('Value', 50).fill('🙂'.repeat(500))
  await save()
  await form.getByText('A value needs a key').waitFor()
  await focusComesTo(field('Key', 3))
  // A row without anything is none.
  await field('Value', 3).fill('')
  await save()
  await isClosed(form)
  const metadata = await read()
  assert.deepEqual([Object.keys(metadata).length, metadata['🙂'.repeat(40)]], [49, '🙂'.repeat(500)])
  assert.deepEqual(pageErrors, [])
})

test('the metadata dialog asks before changes or removed rows are lost', async () => {
  const { path, read } = await newClaim({ a: '1', b: '2' })
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await edit(path)
  await page.keyboard.press('Escape')
  await isClosed(form)
  await button(card, 'Edit metadata').click()
  await button(form, 'Remove key 2').click()
  await page.keyboard.press('Escape')
  await question.waitFor()
  await button(question, 'Keep editing').click()
  await button(form, 'Remove key 1').click()
  await focusComesTo(field('Key', 1))
  await save()
  await isClosed(form)
  assert.deepEqual(await read(), {})
})

test('a dialog with a request in flight asks whether to wait', async () => {
  const { path, read } = await newClaim({ a: '1' })
  const question = page.getByRole('dialog', { name: 'Close before the service answers?' })
  const held = Promise.withResolvers<void>()
  await page.route(`**/v1${path}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise
    await route.continue()
  })
  await edit(path)
  await field('Value', 1).fill('2')
  const sent = nextChange()
  await save()
  await sent
  await page.keyboard.press('Escape')
  await button(question, 'Wait').click()
  await isClosed(question)
  await page.keyboard.press('Escape')
  await question.waitFor()
  assert.equal(await page.getByRole('dialog').count(), 2)
  held.resolve()
  await isClosed(question)
  await isClosed(form)
  assert.deepEqual(await read(), { a: '2' })
  await page.unroute(`**/v1${path}`)
})

test('candidates and customers are created with metadata, which is collapsed at first', async () => {
  const dialog = page.getByRole('dialog')
  const alias = uniqueName('order')
  const name = uniqueName('customer')
  for (const [path, opener, fill, found] of [
    [
      '/candidates',
      'Create candidate',
      async () => {
        await dialog.getByLabel('Alias').fill(alias)
        await dialog.getByLabel('Customer').fill('acme')
      },
      candidatePath(alias),
    ],
    [
      '/customers',
      'Create customer',
      () => dialog.getByLabel('External id').fill(name),
      `/v1/customers?external_id=${name}`,
    ],
  ] as const) {
    await page.goto(path)
    await button(page, opener).first().click()
    await fill()
    if (path !== '/customers') await dialog.getByText('The claim is worth').waitFor()
    assert.equal(await field('Key', 1).isVisible(), false)
    await dialog.getByText('Metadata (optional)').click()
    await field('Value', 1).fill('emea')
    await dialog.getByText('Metadata (1)').click()
    // What is wrong in it unfolds it again.
    await button(dialog, 'Create').click()
    await dialog.getByText('A value needs a key').waitFor()
    await focusComesTo(field('Key', 1))
    await field('Key', 1).fill('region')
    assert.deepEqual(await findAccessibilityFaults(page), [])
    await button(dialog, 'Create').click()
    await isClosed(dialog)
    const { body } = await sendAs(page, 'GET', found)
    assert.deepEqual((body.data?.[0] ?? body).metadata, { region: 'emea' }, path)
  }
  assert.deepEqual(pageErrors, [])
})

test('a metadata filter that makes the URL too long is refused with the reason', async () => {
  const { filter, write } = await openFilter()
  const add = async (key: string, value: string) => {
    await write(key, value)
    await button(filter, 'Add filter').click()
  }
  for (const key of ['one', 'two']) {
    await add(key, '🙂'.repeat(500))
    await button(filter, `Remove the filter by \u2068${key}\u2069`).waitFor()
  }
  await page.getByText('No claims match the filters').waitFor()
  await add('three', '🙂'.repeat(30))
  await filter.getByText('Use a shorter value or remove another filter').waitFor()
  await focusComesTo(filter.getByLabel('Metadata value'))
  assert.equal(await filter.getByRole('listitem').count(), 2)
  await page.reload()
  await page.getByText('No claims match the filters').waitFor()
})

test('candidates and customers have a metadata card, its dialog and a filtered list', async () => {
  const mark = uniqueName('mark')
  const alias = uniqueName('order')
  const contract = contractWith()
  const metadata = { mark }
  await createAs(page, '/v1/candidates', {
    candidate_alias: alias,
    customer_uuid: 'acme',
    contract,
    metadata,
  })
  const { id } = await createAs(page, '/v1/customers', { external_id: mark, metadata })
  for (const [list, path, name] of [
    ['candidates', `/candidates/${alias}`, alias],
    ['customers', `/customers/${id}`, mark],
  ] as const) {
    await edit(path)
    await button(form, 'Add a key').click()
    await page.keyboard.type('region')
    await field('Value', 2).fill('emea')
    await save()
    await isClosed(form)
    assert.deepEqual(await shown(), { mark, region: 'emea' })
    assert.deepEqual((await sendAs(page, 'GET', `/v1${path}`)).body.metadata, { mark, region: 'emea' })
    await card.getByRole('link', { name: mark }).click()
    await page.waitForURL(`**/${list}?metadata%5Bmark%5D=${mark}`)
    const row = page.getByRole('table').getByRole('link', { name })
    await row.waitFor()
    assert.equal(await page.getByRole('table').locator('tbody tr').count(), 1)
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText(`No ${list} match the filters`).waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [])
    await page.getByRole('searchbox').fill('')
    await row.waitFor()
    await page.getByRole('button', { name: `Remove the filter by \u2068mark\u2069` }).click()
    await page.waitForURL(`**/${list}`)
    await page.getByRole('table').locator('tbody tr').nth(1).waitFor()
  }
  assert.deepEqual(pageErrors, [])
})

test('a blank or multi-line metadata value links to its list', async () => {
  const pairs = { tag: '', lines: 'one\ntwo ' }
  const { path } = await newClaim(pairs)
  const without = await newClaim()
  for (const [key, value] of Object.entries(pairs)) {
    await page.goto(path)
    await card.getByRole('link', { name: value.trim() || '(blank)' }).click()
    await page.waitForURL(`**/claims?${new URLSearchParams({ [`metadata[${key}]`]: value })}`)
    await page.getByRole('main').locator(`a[href="${path}"]`).waitFor()
    await page.getByRole('main').locator(`a[href="${without.path}"]`).waitFor({ state: 'detached' })
  }
})
