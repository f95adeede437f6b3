import assert from 'node:assert/strict'
import { test } from 'node:test'
import { button, clickBeside, focusComesTo, isClosed } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

test('a dialog focuses its first field, closes by Escape, Cancel and Close, and returns the focus', async () => {
  const { page, pageErrors } = await newPage()
  await page.goto('/tokens')
  const dialog = page.getByRole('dialog')
  const opener = button(page, 'Create token').first()
  for (const close of ['Escape', 'Cancel', 'Close']) {
    await opener.click()
    await focusComesTo(dialog.getByLabel('Name', { exact: true }))
    if (close === 'Escape') await page.keyboard.press('Escape')
    else await dialog.getByRole('button', { name: close, exact: true }).click()
    await isClosed(dialog)
    await focusComesTo(opener)
  }
  assert.deepEqual(pageErrors, [])
})

test('a dialog with input asks before it closes, a dialog without input does not', async () => {
  const { page, pageErrors } = await newPage()
  await page.goto('/customers')
  const form = page.getByRole('dialog', { name: 'Create a customer' })
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await button(page, 'Create customer').first().click()
  await form.getByLabel('External id').fill('acme')
  const ways: (() => Promise<unknown>)[] = [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('Escape'),
    () => clickBeside(page),
    () => button(page, 'Cancel').click(),
    () => button(page, 'Close').first().click(),
  ]
  for (const leave of ways) {
    await leave()
    await question.waitFor()
    await focusComesTo(button(page, 'Keep editing'))
    await page.keyboard.press('Escape')
    await isClosed(question)
    assert.equal(await form.getByLabel('External id').inputValue(), 'acme')
  }
  await form.getByLabel('External id').fill('')
  await page.keyboard.press('Escape')
  await isClosed(form)

  await button(page, 'Create customer').first().click()
  await form.getByLabel('Name (optional)').fill('ACME')
  await page.keyboard.press('Escape')
  await button(page, 'Discard').click()
  await isClosed(form)
  assert.equal(await question.count(), 0)
  await focusComesTo(button(page, 'Create customer').first())

  await button(page, 'Create customer').first().click()
  assert.equal(await form.getByLabel('Name (optional)').inputValue(), '')
  await clickBeside(page)
  await isClosed(form)
  assert.deepEqual(pageErrors, [])
})

test('a submitted form focuses its first invalid field', async () => {
  const { page } = await newPage()
  await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  await page.goto('/customers')
  await button(page, 'Create customer').click()
  await page.getByLabel('External id').fill('acme')
  await button(page, 'Create').click()
  await page.getByText('A customer with this external id already exists').waitFor()
  await focusComesTo(page.getByLabel('External id'))
  await page.keyboard.press('Escape')
  await button(page, 'Discard').click()

  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await button(page, 'Create claim').first().click()
  await button(page, 'Create').click()
  await page.getByText('Choose a customer').waitFor()
  await focusComesTo(page.getByLabel('Customer'))
})
