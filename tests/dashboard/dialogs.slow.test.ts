import assert from 'node:assert/strict'
import { test } from 'node:test'
import { button, clickBeside, focusComesTo, isClosed } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

test('a dialog focuses its first field or button and returns the focus when it closes', async () => {
  const { page, pageErrors } = await newPage()
  const customer = (await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })).body.id
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'globex' })
  const time = { frozen_time: '2026-01-01T00:00:00Z' }
  const clock = (await sendAs(page, 'POST', '/v1/test_clocks', time)).body.id
  for (const [path, opener, field] of [
    ['/customers', 'Create customer', 'External id'],
    [`/customers/${customer}`, 'Rename', 'Name'],
    [`/customers/${customer}`, 'Edit metadata', 'Key 1'],
    ['/test-clocks', 'Create test clock', 'Name (optional)'],
    ['/settings', 'Invite', 'Email (optional)'],
    ['/claims', 'Create claim', 'Customer'],
    ['/candidates', 'Create candidate', 'Alias'],
    ['/webhooks', 'Create endpoint', 'URL'],
    [`/test-clocks/${clock}`, 'Delete', null],
  ] as const) {
    await page.goto(path)
    const dialog = page.getByRole('dialog')
    for (const close of ['Escape', 'Cancel', 'Close']) {
      await button(page, opener).first().click()
      await focusComesTo(field ? dialog.getByLabel(field, { exact: true }) : button(page, 'Cancel'))
      if (close === 'Escape') await page.keyboard.press('Escape')
      else await dialog.getByRole('button', { name: close, exact: true }).click()
      await isClosed(dialog)
      await focusComesTo(button(page, opener).first())
    }
  }
  assert.deepEqual(pageErrors, [])
})

test('the focus returns after a dialog has saved, or moves to the page if the opener is gone', async () => {
  const { page } = await newPage()
  await page.goto('/customers')
  for (const name of ['first', 'second']) {
    // At first from within the list, as long as that is empty.
    if (name === 'first') await page.getByText('No customers yet').waitFor()
    await button(page, 'Create customer').last().click()
    await page.getByLabel('External id').fill(name)
    await button(page, 'Create').click()
    await isClosed(page.getByRole('dialog'))
    await focusComesTo(name === 'first' ? page.getByRole('main') : button(page, 'Create customer'))
  }
})

test('changed checkboxes and selects count as input', async () => {
  const { page } = await newPage()
  await page.goto('/webhooks')
  await button(page, 'Create endpoint').first().click()
  await page.getByLabel('All customers').click()
  await page.keyboard.press('Escape')
  await button(page, 'Discard').click()
  await isClosed(page.getByRole('dialog'))
})

test('a dialog with a secret closes only by its own button', async () => {
  const { page } = await newPage()
  const dialog = page.getByRole('dialog')
  const stays = async (secret: RegExp, done: string) => {
    await dialog.getByText(secret).first().waitFor()
    await focusComesTo(dialog.getByRole('button', { name: /^Copy/ }).first())
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
    await clickBeside(page)
    assert.equal(await button(page, 'Close').count(), 0)
    assert.equal(await dialog.getByText(secret).first().isVisible(), true)
    assert.equal(await dialog.count(), 1)
    await button(page, done).click()
    await isClosed(dialog)
  }
  await page.goto('/tokens')
  await button(page, 'Create token').first().click()
  await page.getByLabel('Name').fill('import')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await stays(/ck_[A-Za-z0-9_-]{43}/, 'I have copied it')

  await page.goto('/settings')
  await button(page, 'Invite').click()
  await button(page, 'Create link').click()
  await stays(/welcome#key=/, 'Done')

  await page.goto('/webhooks')
  await button(page, 'Create endpoint').first().click()
  await page.getByLabel('URL').fill('http://127.0.0.1:1024/')
  await button(page, 'Create').click()
  await stays(/whsec_/, 'I have copied it')
})

test('the response to a closed dialog is announced and does not affect the next dialog', async () => {
  const { page, pageErrors } = await newPage()
  const hook = { url: 'http://127.0.0.1:1024/' }
  const { id } = (await sendAs(page, 'POST', '/v1/webhook_endpoints', hook)).body
  const dialog = page.getByRole('dialog')
  const holdAndClose = async (path: string, send: () => Promise<void>) => {
    const answer = Promise.withResolvers<void>()
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    const sent = page.waitForRequest(`**${path}`)
    await send()
    await sent
    await dialog.locator('button[aria-busy]').waitFor()
    await page.keyboard.press('Escape')
    await button(page, 'Close now').click()
    await isClosed(dialog)
    return answer.resolve
  }
  await page.goto('/webhooks')
  await page.locator(`a[href="/webhooks/${id}"]`).click()
  await button(page, 'Rotate secret').click()
  const rotate = `/v1/webhook_endpoints/${id}/rotate_secret`
  const answerRotation = await holdAndClose(rotate, () =>
    dialog.getByRole('button', { name: 'Rotate secret' }).click(),
  )
  const stay = async () => {
    await page.evaluate('history.back()')
    const question = page.getByRole('dialog', { name: 'Leave without the new secret?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await isClosed(question)
  }
  await stay()
  answerRotation()
  await dialog.getByText(/^whsec_/).waitFor()
  await stay()
  await button(page, 'I have copied it').click()
  await isClosed(dialog)

  await page.goto('/customers')
  await button(page, 'Create customer').first().click()
  await page.getByLabel('External id').fill('first')
  const answerCreation = await holdAndClose('/v1/customers', () => button(page, 'Create').click())
  await button(page, 'Create customer').first().click()
  await page.getByLabel('External id').fill('second')
  answerCreation()
  await page.getByText('Customer created').waitFor()
  assert.equal(await page.getByLabel('External id').inputValue(), 'second')
  assert.deepEqual(pageErrors, [])
})
