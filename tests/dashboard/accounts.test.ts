import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { openSession } from '../support/session-client.ts'
import { PASSWORD, sendAs, signUp } from '../support/signed-in-page.ts'

const { newPage, openPage, service } = await dashboardTests()

test('sign-out opens the sign-in page, and sign-in returns to the requested page', async () => {
  const { page, email } = await openPage()
  await page.getByRole('button', { name: 'Account of Lena Roth' }).click()
  await page.getByText(email).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  await page.goto('/claims?status=OPEN')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Claims', level: 1 }).waitFor()
  assert.match(page.url(), /\/claims\?status=OPEN$/)
  assert.equal(await page.getByLabel('Status').inputValue(), 'OPEN')
})

test('a changed password ends the other sessions', async () => {
  const { page, email } = await newPage()
  const end = page.getByRole('button', { name: 'End', exact: true })
  const other = await openSession(service, email)
  await page.goto('/settings')
  await end.waitFor()
  await page.getByLabel('Current password').fill('wrong password')
  await page.getByLabel('New password').fill('another long password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Is not the password of the account').waitFor()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('All other sessions have ended').first().waitFor()
  // A list that was asked for in the middle of it may still have this page's session as it was, beside the other.
  await end.first().waitFor({ state: 'detached' })
  assert.equal((await other.get('/v1/me')).status, 401)
})

test('a page whose session has ended opens the sign-in page', async () => {
  const { page, email } = await newPage()
  // A page that asks for nothing by itself: the overview would find out before the click.
  await page.goto('/schemas')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const other = await openSession(service, email)
  assert.equal((await other.post('/api/auth/revoke-other-sessions')).status, 200)
  await page.getByRole('link', { name: 'Claims', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('ending another session names its tokens first, then ends them too', async () => {
  const { page, email } = await newPage()
  const end = page.getByRole('button', { name: 'End', exact: true })
  const first = await openSession(service, email)
  await page.goto('/settings')
  await end.click()
  await end.waitFor({ state: 'detached' })
  assert.equal((await first.get('/v1/me')).status, 401)

  const second = await openSession(service, email)
  const { body } = await second.post('/v1/tokens', { name: 'made-elsewhere' })
  const api = service.clientWith(body.token)
  await page.reload()
  await end.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('made-elsewhere').waitFor()
  assert.equal((await api.get('/v1/me')).status, 200)
  await dialog.getByRole('button', { name: 'End', exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
  await end.waitFor({ state: 'detached' })
  assert.equal((await api.get('/v1/me')).status, 401)
})

test('an invitation creates one account, works once, and can be revoked', async () => {
  const { page } = await newPage()
  const invite = async () => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.locator('dialog code').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    return link
  }
  await page.goto('/settings')
  const revoked = await invite()
  const revoke = page.getByRole('region', { name: 'Invitations' }).getByRole('button', { name: 'Revoke' })
  await revoke.click()
  await revoke.waitFor({ state: 'detached' })
  const link = await invite()

  await page.context().clearCookies()
  await signUp(page, link, `guest-${process.pid}@example.com`)
  for (const useless of [link, revoked]) {
    await page.goto('about:blank')
    await page.goto(useless)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  }
})

test('sign-up without an invitation is refused unless sign-up is open', async () => {
  const { page } = await newPage()
  await page.context().clearCookies()
  await page.goto('/welcome')
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await page.goto('/sign-in?next=//elsewhere.example')
  await page.getByText('Ask for an invitation link').waitFor()
})

test('amounts are shown in the account’s currency and the browser’s locale', async () => {
  const { page, pageErrors } = await newPage()
  const { body: customer } = await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  await sendAs(page, 'POST', '/v1/claims', {
    customer_id: customer.id,
    contract: contractWith({ price: 1234.5 }),
  })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  await page.goto('/settings')
  await page.getByText('Prices are shown as 1,234.50.').waitFor()
  await page.getByLabel('Currency of the account').selectOption('EUR')
  await page.getByText('Prices are shown as €1,234.50.').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/me')).body.currency, 'EUR')
  await link('Claims').click()
  await page.getByText('€1,234.50').waitFor()
  // Yen have no smaller unit; what is there is shown all the same.
  await sendAs(page, 'PATCH', '/v1/me', { currency: 'JPY' })
  await page.reload()
  await page.getByText('¥1,234.5').waitFor()
  await page.goto('/settings')
  await page.getByLabel('Currency of the account').selectOption('None')
  await page.getByText('Prices are shown as 1,234.50.').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a token is created once with a last day, works in the shown curl command, and stops when it is revoked', async () => {
  const { page, pageErrors } = await newPage()
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('nightly-import')
  await page.getByLabel('Last day').fill('2031-06-30')
  // Two clicks at once.
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Create token' })
    .evaluate(({ form }: { form: { requestSubmit: () => void } }) => {
      form.requestSubmit()
      form.requestSubmit()
    })
  await page.getByText('shown only once').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/tokens')).body.data.length, 1)
  const command = await page.locator('dialog pre').innerText()
  assert.match(command, /^curl .*Bearer ck_[A-Za-z0-9_-]{43}'$/)
  assert.equal(await statusOf(command), '200')

  await page.getByRole('button', { name: 'I have copied it' }).click()
  assert.equal(await page.getByText(/ck_[A-Za-z0-9_-]{43}/).count(), 0)
  await page.getByRole('cell', { name: /30 Jun 2031, 23:59:59/ }).waitFor()
  await page.getByRole('button', { name: 'Revoke nightly-import' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('cell', { name: 'nightly-import revoked' }).waitFor()
  assert.equal(await statusOf(command), '401')
  assert.deepEqual(pageErrors, [])
})

/** Runs the command as a shell would, and asks for the status alone. */
async function statusOf(command: string): Promise<string> {
  const run = promisify(execFile)
  const { stdout } = await run('sh', ['-c', `${command} -o /dev/null -w '%{http_code}'`])
  return stdout
}
