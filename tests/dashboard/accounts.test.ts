import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPage, startTestBrowser } from '../support/browser.ts'
import { contractWith } from '../support/contracts.ts'
import { eventually } from '../support/eventually.ts'
import {
  newPageOf,
  newSignedInPage,
  openSignedInPage,
  PASSWORD,
  sendAs,
  signUp,
} from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

test('signing out leads to the sign-in page, and signing in leads back to where one wanted to go', async () => {
  const { page, email } = await openSignedInPage(service, browser)
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

test('a changed password ends the other sessions, which then land on the sign-in page', async () => {
  const { page, email } = await newSignedInPage(service, browser)
  const other = await newPageOf(service, browser, email)
  // A page that asks for nothing by itself: the overview would find out before the click.
  await other.page.goto('/schemas')
  await other.page.getByRole('heading', { level: 1 }).waitFor()

  await page.goto('/settings')
  await page.getByRole('button', { name: 'End', exact: true }).waitFor()
  await page.getByLabel('Present password').fill('wrong password')
  await page.getByLabel('New password').fill('another long password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Is not the password of the account').waitFor()
  await page.getByLabel('Present password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('all other sessions have ended').first().waitFor()
  // A list that was asked for in the middle of it may still have this page's session as it was, beside the other.
  await eventually(async () => (await page.getByRole('button', { name: 'End', exact: true }).count()) === 0)

  await other.page.getByRole('link', { name: 'Claims', exact: true }).click()
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a session is ended from another one', async () => {
  const { page, email } = await newSignedInPage(service, browser)
  const other = await newPageOf(service, browser, email)
  await other.page.goto('/')
  await other.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.goto('/settings')
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' })
  await other.page.reload()
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a session takes its tokens along when it is ended, after the page has said so', async () => {
  const { page, email } = await newSignedInPage(service, browser)
  const other = await newPageOf(service, browser, email)
  const { body } = await sendAs(other.page, 'POST', '/v1/tokens', { name: 'made-elsewhere' })
  const api = service.clientWith(body.token)
  assert.equal((await api.get('/v1/me')).status, 200)

  await page.goto('/settings')
  await page.getByRole('button', { name: 'End', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('made-elsewhere').waitFor()
  assert.equal((await api.get('/v1/me')).status, 200)
  await dialog.getByRole('button', { name: 'End', exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' })
  assert.equal((await api.get('/v1/me')).status, 401)
})

test('an invitation makes one account, works once, and can be revoked', async () => {
  const { page } = await newSignedInPage(service, browser)
  const invite = async () => {
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Make a link' }).click()
    const link = await page.locator('dialog code').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    return link
  }
  const link = await invite()
  const guest = await openPage(browser, service.url)
  await signUp(guest.page, link, `guest-${process.pid}@example.com`)
  await guest.page.goto(link)
  await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()

  const revoked = await invite()
  const invitations = page.getByRole('region', { name: 'Invitations' })
  await invitations.getByRole('button', { name: 'Revoke' }).click()
  await invitations.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
  await guest.page.goto(revoked)
  await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
})

test('without an invitation nobody signs up where sign-up is not open', async () => {
  const { page } = await openPage(browser, service.url)
  await page.goto('/welcome')
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await page.goto('/sign-in?next=//elsewhere.example')
  await page.getByText('Ask for an invitation link').waitFor()
})

test('the currency of the account is shown with every amount, as the reader writes it', async () => {
  const { page, complaints } = await newSignedInPage(service, browser)
  const { body: customer } = await sendAs(page, 'POST', '/v1/customers', { external_id: 'acme' })
  await sendAs(page, 'POST', '/v1/claims', {
    customer_id: customer.id,
    contract: contractWith({ price: 1234.5 }),
  })
  await page.goto('/claims')
  await page.getByText('1,234.50').waitFor()
  await page.goto('/settings')
  await page.getByLabel('Currency of the account').selectOption('EUR')
  await page.getByText('Prices are shown as €1,234.50.').waitFor()
  assert.equal((await sendAs(page, 'GET', '/v1/me')).body.currency, 'EUR')
  await page.goto('/claims')
  await page.getByText('€1,234.50').waitFor()
  // Yen have no smaller unit; what is there is shown all the same.
  await sendAs(page, 'PATCH', '/v1/me', { currency: 'JPY' })
  await page.goto('/claims')
  await page.getByText('¥1,234.5').waitFor()
  await page.goto('/settings')
  await page.getByLabel('Currency of the account').selectOption('None')
  await page.getByText('Prices are shown as 1,234.50.').waitFor()
  assert.deepEqual(complaints, [])
})
