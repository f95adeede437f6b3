import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { findAccessibilityFaults } from '../support/find-accessibility-faults.ts'
import { candidatePath, uniqueName } from '../support/new-records.ts'
import { openSignedInPage, sendAs } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()
const { page, complaints } = await openSignedInPage(service, browser)
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })
const create = async (path: string, body: object) => (await sendAs(page, 'POST', path, body)).body
const customer = await create('/v1/customers', { external_id: 'acme' })
await create('/v1/schemas', { contract: contractWith() })

type Metadata = Record<string, string>

/** A claim with its path, which is the same in the dashboard and in the API. */
async function newClaim(metadata: Metadata = {}) {
  const { id } = await create('/v1/claims', { customer_id: customer.id, contract: contractWith(), metadata })
  const path = `/claims/${id}`
  const read = async () => (await sendAs(page, 'GET', `/v1${path}`)).body.metadata
  const change = (changes: object) => sendAs(page, 'PATCH', `/v1${path}`, { metadata: changes })
  return { path, read, change }
}

const card = page.getByRole('region', { name: 'Metadata' })
const form = page.getByRole('dialog', { name: 'Edit metadata' })
const field = (part: 'Key' | 'Value', number: number) => page.getByLabel(`${part} ${number}`, { exact: true })
const hasFocus = (control: Locator) => control.and(page.locator(':focus')).waitFor()
const isClosed = (dialog: Locator) => dialog.waitFor({ state: 'detached' })
const save = () => button(form, 'Save').click()

async function edit(path: string): Promise<void> {
  await page.goto(path)
  await button(card, 'Edit metadata').click()
  await hasFocus(field('Key', 1))
}

/** What the card says, a line a key. */
async function shown(): Promise<Metadata> {
  const keys = await card.locator('dt').allInnerTexts()
  const values = await card.locator('dd').allInnerTexts()
  return Object.fromEntries(keys.map((key, i) => [key, values[i] as string]))
}

/** The next change that is sent. */
const nextChange = () => page.waitForRequest((request) => request.method() === 'PATCH')

test('metadata is written by the keyboard alone: Enter goes on, adds rows, and saves from a blank last one', async () => {
  const { path, read } = await newClaim()
  await page.goto(path)
  await card.getByText('no decision looks at them').waitFor()
  await button(card, 'Edit metadata').press('Enter')
  await hasFocus(field('Key', 1))
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
  await hasFocus(field('Key', 4))
  // Back at the second: its removal leads to what comes into its place, that of the last to the one before.
  await button(form, 'Remove key 2').press('Enter')
  await hasFocus(field('Key', 2))
  assert.equal(await field('Key', 2).inputValue(), 'note')
  await button(form, 'Remove key 3').press('Enter')
  await hasFocus(field('Key', 2))
  await button(form, 'Add a key').press('Enter')
  await hasFocus(field('Key', 3))
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await keys.press('Enter')
  await page.getByText('Metadata saved').waitFor()
  await isClosed(form)
  await hasFocus(button(card, 'Edit metadata'))
  assert.deepEqual(await read(), { order: 'A-4711', note: 'one\ntwo' })
  assert.deepEqual(await shown(), { order: 'A-4711', note: 'one\ntwo' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(card, 'Copy \u2068note\u2069').click()
  await button(card, 'Copied').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'one\ntwo')
  assert.deepEqual(complaints, [])
})

test('only the keys that changed are sent, of what was read, and once', async () => {
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

test('what is too long, there twice, or without a key is said at its field, and a 51st key is refused with the reason', async () => {
  const { path, read } = await newClaim(
    Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`k${i}`, `${i}`])),
  )
  await edit(path)
  await button(form, 'Add a key').click()
  await hasFocus(field('Key', 50))
  await field('Key', 50).fill('🙂'.repeat(41))
  await form.getByText('41 characters: a key has 40 at most').waitFor()
  await field('Key', 50).fill('🙂'.repeat(40))
  await field('Value', 50).fill('🙂'.repeat(501))
  await form.getByText('501 characters: a value has 500 at most').waitFor()
  await form.getByText('There are 50, and 50 are the most.').waitFor()
  assert.equal(await button(form, 'Add a key').getAttribute('aria-disabled'), 'true')
  await field('Key', 3).fill('k0')
  await form.getByText('This key is above already').waitFor()
  assert.deepEqual(await findAccessibilityFaults(page), [])
  await save()
  await hasFocus(field('Key', 3))
  await field('Key', 3).fill('')
  await form.getByText('This key is above already').waitFor({ state: 'detached' })
  await field('Value', 50).fill('🙂'.repeat(500))
  await save()
  await form.getByText('A value needs a key').waitFor()
  await hasFocus(field('Key', 3))
  // A row without anything is none.
  await field('Value', 3).fill('')
  await save()
  await isClosed(form)
  const metadata = await read()
  assert.deepEqual([Object.keys(metadata).length, metadata['🙂'.repeat(40)]], [49, '🙂'.repeat(500)])
  assert.deepEqual(complaints, [])
})

test('a dialog asks before what was changed in it is lost, removed rows too, and closes if nothing was', async () => {
  const { path, read } = await newClaim({ a: '1', b: '2' })
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
  await edit(path)
  await page.keyboard.press('Escape')
  await isClosed(form)
  await button(card, 'Edit metadata').click()
  await button(form, 'Remove key 2').click()
  await page.keyboard.press('Escape')
  await question.waitFor()
  await button(question, 'Keep editing').click()
  await button(form, 'Remove key 1').click()
  await hasFocus(field('Key', 1))
  await save()
  await isClosed(form)
  assert.deepEqual(await read(), {})
})

test('a dialog whose form was sent asks whether to wait for the answer, and speaks of nothing to discard', async () => {
  const { path, read } = await newClaim({ a: '1' })
  const question = page.getByRole('dialog', { name: 'Close before it is answered?' })
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

test('who has changed other keys meanwhile is not in the way; of the same key both values are shown', async () => {
  const { path, read, change } = await newClaim({ a: '1', b: '2', c: '3' })
  const conflict = page.getByRole('dialog', { name: 'The metadata was changed meanwhile' })
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
  const rows = await conflict.getByRole('table', { name: 'What differs' }).locator('tbody tr').all()
  const differences = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
  assert.deepEqual(differences, [['\u2068a\u2069', 'mine again', 'theirs']])
  assert.deepEqual(await findAccessibilityFaults(page), [])
  assert.equal((await read()).a, 'theirs')
  await button(conflict, 'Save mine over it').click()
  await isClosed(form)
  assert.deepEqual(await read(), { a: 'mine again', b: 'theirs', d: 'newer' })

  await button(card, 'Edit metadata').click()
  await change({ a: 'last' })
  await button(form, 'Remove key 1').click()
  await save()
  await button(conflict, 'Take theirs').click()
  await isClosed(form)
  await card.getByText('last').waitFor()
  assert.deepEqual(await read(), { a: 'last', b: 'theirs', d: 'newer' })
  assert.deepEqual(
    complaints.filter((text) => !text.includes('412')),
    [],
  )
  complaints.length = 0
})

test('a claim, a candidate and a customer are created with metadata, which is folded away at first', async () => {
  const dialog = page.getByRole('dialog')
  const alias = uniqueName('order')
  const name = uniqueName('customer')
  for (const [path, opener, fill, found] of [
    ['/claims', 'Create claim', () => dialog.getByLabel('Customer').fill('acme'), null],
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
    await hasFocus(field('Key', 1))
    await field('Key', 1).fill('region')
    assert.deepEqual(await findAccessibilityFaults(page), [])
    await button(dialog, 'Create').click()
    await isClosed(dialog)
    const made = found ?? `/v1${new URL(page.url()).pathname}`
    const { body } = await sendAs(page, 'GET', made)
    assert.deepEqual((body.data?.[0] ?? body).metadata, { region: 'emea' }, path)
  }
  assert.deepEqual(complaints, [])
})

/** The filter of claims by metadata, and what writes a pair into it. */
async function openFilter() {
  await page.goto('/claims')
  await page.getByRole('button', { name: 'More filters' }).click()
  const filter = page.getByRole('group', { name: 'Metadata' })
  const write = async (key: string, value: string) => {
    await filter.getByLabel('Metadata key').fill(key)
    await filter.getByLabel('Metadata value').fill(value)
  }
  return { filter, write }
}

test('lists are filtered by several pairs, in the URL and in exports, and a pair of a card leads to its list', async () => {
  const mark = uniqueName('mark')
  const odd = { 'a]b[c': 'x=1&y', tag: '', lines: 'one\ntwo ' }
  const one = await newClaim({ mark, order: 'A-1', ...odd })
  const two = await newClaim({ mark, order: 'A-2' })
  const { filter, write } = await openFilter()
  const add = async (key: string, value: string) => {
    await write(key, value)
    await page.keyboard.press('Enter')
    await hasFocus(filter.getByLabel('Metadata key'))
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
  assert.deepEqual(await findAccessibilityFaults(page), [])
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const lines = (await readFile(await (await coming).path(), 'utf8')).trim().split(/\r?\n/)
  assert.equal(lines.length, 2)
  await filter.getByRole('button', { name: 'Remove the filter by \u2068order\u2069' }).click()
  await shows([one, two])
  await filter.getByRole('button', { name: 'Add filter' }).click()
  await hasFocus(filter.getByLabel('Metadata key'))
  await filter.getByText('A value needs a key').waitFor()

  for (const [key, value] of Object.entries({ mark, ...odd })) {
    await page.goto(one.path)
    await card.getByRole('link', { name: value.trim() === '' ? '(blank)' : value.trim() }).click()
    await page.waitForURL(`**/claims?${new URLSearchParams({ [`metadata[${key}]`]: value })}`)
    await linkTo(one).waitFor()
    await linkTo(two).waitFor({ state: key === 'mark' ? 'visible' : 'detached' })
  }
  assert.deepEqual(complaints, [])
})

test('a pair with which the address of a list would be too long is refused with the reason, and one that fits is not', async () => {
  const { filter, write } = await openFilter()
  const add = async (key: string, value: string) => {
    await write(key, value)
    await button(filter, 'Add filter').click()
  }
  for (const key of ['one', 'two']) {
    await add(key, '🙂'.repeat(500))
    await button(filter, `Remove the filter by \u2068${key}\u2069`).waitFor()
  }
  await page.getByText('No claims fit the filters').waitFor()
  await add('three', '🙂'.repeat(30))
  await filter.getByText('use a shorter value, or remove another filter').waitFor()
  await hasFocus(filter.getByLabel('Metadata value'))
  assert.equal(await filter.getByRole('listitem').count(), 2)
  await page.reload()
  await page.getByText('No claims fit the filters').waitFor()
})

test('candidates and customers have the same: a card, its dialog and a list by it', async () => {
  const mark = uniqueName('mark')
  const alias = uniqueName('order')
  const contract = contractWith()
  const metadata = { mark }
  await create('/v1/candidates', { candidate_alias: alias, customer_uuid: 'acme', contract, metadata })
  const { id } = await create('/v1/customers', { external_id: mark, metadata })
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
    await page.getByText(`No ${list} fit the filters`).waitFor()
    assert.deepEqual(await findAccessibilityFaults(page), [])
    await page.getByRole('searchbox').fill('')
    await row.waitFor()
    await page.getByRole('button', { name: `Remove the filter by \u2068mark\u2069` }).click()
    await page.waitForURL(`**/${list}`)
    await page.getByRole('table').locator('tbody tr').nth(1).waitFor()
  }
  assert.deepEqual(complaints, [])
})
