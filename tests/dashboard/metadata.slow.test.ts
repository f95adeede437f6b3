import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { differencesIn } from '../support/conflicts.ts'
import { contractWith } from '../support/contracts.ts'
import { button, focusComesTo, isClosed } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { metadataForm } from '../support/metadata-form.ts'
import { uniqueName } from '../support/new-records.ts'
import { createAs, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()
const { page, pageErrors } = await newPage()
const { card, form, field, save, nextChange, newClaim, edit, shown, openFilter } = await metadataForm(page)

test('metadata is edited with the keyboard alone: Enter moves on, adds rows, and saves in a blank last row', async () => {
  const { path, read } = await newClaim()
  await page.goto(path)
  await card.getByText('They do not affect decisions.').waitFor()
  await button(card, 'Edit metadata').press('Enter')
  await focusComesTo(field('Key', 1))
  const keys = page.keyboard
  for (const [key, value] of [
    ['order', 'A-4711'],
    ['region', 'emea'],
    ['note', 'one'],
  ] as const) {
    await keys.type(key)
    await keys.press('Enter')
    await keys.type(value)
    if (key === 'note') {
      await keys.press('Shift+Enter')
      await keys.type('two')
    }
    await keys.press('Enter')
  }
  await focusComesTo(field('Key', 4))
  // Back at the second: its removal leads to what comes into its place, that of the last to the one before.
  await button(form, 'Remove key 2').press('Enter')
  await focusComesTo(field('Key', 2))
  assert.equal(await field('Key', 2).inputValue(), 'note')
  await button(form, 'Remove key 3').press('Enter')
  await focusComesTo(field('Key', 2))
  await button(form, 'Add a key').press('Enter')
  await focusComesTo(field('Key', 3))
  await keys.press('Enter')
  await page.getByText('Metadata saved').waitFor()
  await isClosed(form)
  await focusComesTo(button(card, 'Edit metadata'))
  assert.deepEqual(await read(), { order: 'A-4711', note: 'one\ntwo' })
  assert.deepEqual(await shown(), { order: 'A-4711', note: 'one\ntwo' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(card, 'Copy \u2068note\u2069').click()
  await button(card, 'Copied').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'one\ntwo')
  assert.deepEqual(pageErrors, [])
})

test('only changed keys are sent, with If-Match and an idempotency key', async () => {
  const { path, read } = await newClaim({ a: '1', b: '2', c: '3', 'line\nbreak': 'x\r\ny' })
  await edit(path)
  await field('Value', 1).fill('one')
  await field('Key', 2).fill('d')
  const sent = nextChange()
  await save()
  const headers = (await sent).headers()
  assert.deepEqual((await sent).postDataJSON(), { metadata: { a: 'one', b: null, d: '2' } })
  assert.match(headers['if-match'] ?? '', /^"[^"]+"$/)
  assert.match(headers['idempotency-key'] ?? '', /^[0-9a-f]{32}$/)
  await isClosed(form)
  assert.deepEqual(await read(), { a: 'one', c: '3', d: '2', 'line\nbreak': 'x\r\ny' })
  // Nothing was changed: nothing is sent.
  const changes: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()))
  await button(card, 'Edit metadata').click()
  await save()
  await isClosed(form)
  assert.deepEqual(changes, [])
})

test('changes of other keys do not conflict, changes of the same key show both values', async () => {
  const { path, read, change } = await newClaim({ a: '1', b: '2', c: '3' })
  const conflict = page.getByRole('dialog', { name: 'The metadata has changed' })
  await edit(path)
  await change({ b: 'theirs', d: 'new' })
  await field('Value', 1).fill('mine')
  await save()
  await isClosed(form)
  assert.deepEqual(await read(), { a: 'mine', b: 'theirs', c: '3', d: 'new' })

  await button(card, 'Edit metadata').click()
  await change({ a: 'theirs', c: null, d: 'newer' })
  await field('Value', 1).fill('mine again')
  await button(form, 'Remove key 3').click()
  await save()
  await conflict.waitFor()
  assert.deepEqual(await differencesIn(conflict), [['\u2068a\u2069', 'mine again', 'theirs']])
  assert.equal((await read()).a, 'theirs')
  await button(conflict, 'Overwrite with mine').click()
  await isClosed(form)
  assert.deepEqual(await read(), { a: 'mine again', b: 'theirs', d: 'newer' })

  await button(card, 'Edit metadata').click()
  await change({ a: 'last' })
  await button(form, 'Remove key 1').click()
  await save()
  await button(conflict, 'Use the saved version').click()
  await isClosed(form)
  await card.getByText('last').waitFor()
  assert.deepEqual(await read(), { a: 'last', b: 'theirs', d: 'newer' })
  // The browser itself notes the status of the answer.
  assert.deepEqual(
    pageErrors.filter((text) => !text.includes('status of 412')),
    [],
  )
  pageErrors.length = 0
})

test('lists and exports are filtered by several metadata pairs, and a metadata value links to its list', async () => {
  const mark = uniqueName('mark')
  const one = await newClaim({ mark, order: 'A-1', 'a]b[c': 'x=1&y' })
  const two = await newClaim({ mark, order: 'A-2' })
  const { filter, write } = await openFilter()
  const add = async (key: string, value: string) => {
    await write(key, value)
    await page.keyboard.press('Enter')
    await focusComesTo(filter.getByLabel('Metadata key'))
  }
  const rows = page.getByRole('table', { name: 'Claims' }).locator('tbody tr')
  const linkTo = ({ path }: { path: string }) => page.getByRole('main').locator(`a[href="${path}"]`)
  const shows = async (found: readonly { path: string }[]) => {
    for (const other of [one, two])
      await linkTo(other).waitFor({ state: found.includes(other) ? 'visible' : 'detached' })
    await rows.nth(found.length).waitFor({ state: 'detached' })
  }
  await add('mark', mark)
  await page.waitForURL(`**/claims?metadata%5Bmark%5D=${mark}`)
  await shows([one, two])
  await add('order', 'A-2')
  await shows([two])
  await add('order', 'A-1')
  await shows([one])
  await page.getByRole('button', { name: 'More (2) filters' }).waitFor()
  await page.reload()
  await shows([one])
  const link = page.getByRole('link', { name: 'Export CSV' })
  const exported = new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams
  assert.deepEqual([exported.get('metadata[mark]'), exported.get('metadata[order]')], [mark, 'A-1'])
  const coming = page.waitForEvent('download')
  await link.click()
  const lines = (await readFile(await (await coming).path(), 'utf8')).trim().split(/\r?\n/)
  assert.equal(lines.length, 2)
  await filter.getByRole('button', { name: 'Remove the filter by \u2068order\u2069' }).click()
  await shows([one, two])
  await filter.getByRole('button', { name: 'Add filter' }).click()
  await focusComesTo(filter.getByLabel('Metadata key'))
  await filter.getByText('A value needs a key').waitFor()

  await linkTo(one).click()
  await card.getByRole('link', { name: 'x=1&y' }).click()
  await page.waitForURL(`**/claims?${new URLSearchParams({ 'metadata[a]b[c]': 'x=1&y' })}`)
  await shows([one])
  assert.deepEqual(pageErrors, [])
})

test('a claim is created with metadata, which is collapsed at first and opens for an error', async () => {
  await createAs(page, '/v1/schemas', { contract: contractWith() })
  const dialog = page.getByRole('dialog')
  await page.goto('/claims')
  await button(page, 'Create claim').first().click()
  await dialog.getByLabel('Customer').fill('acme')
  await dialog.getByText('The claim is worth').waitFor()
  assert.equal(await field('Key', 1).isVisible(), false)
  await dialog.getByText('Metadata (optional)').click()
  await field('Value', 1).fill('emea')
  await dialog.getByText('Metadata (1)').click()
  await button(dialog, 'Create').click()
  await dialog.getByText('A value needs a key').waitFor()
  await focusComesTo(field('Key', 1))
  await field('Key', 1).fill('region')
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await button(dialog, 'Create').click()
  await page.waitForURL('**/claims/*')
  const { body } = await sendAs(page, 'GET', `/v1${new URL(page.url()).pathname}`)
  assert.deepEqual(body.metadata, { region: 'emea' })
  assert.deepEqual(pageErrors, [])
})
