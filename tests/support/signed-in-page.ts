import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { invitationUrl } from '../../src/app/invitations/invitation-key.ts'
import { createInvitation } from '../../src/app/invitations/invitations.ts'
import { openPage, type WatchedPage } from './browser.ts'
import type { TestService } from './test-service.ts'

export const PASSWORD = 'correct horse battery'

let accounts = 0

/** A page of a new account, signed up by an invitation, at the overview. */
export async function openSignedInPage(
  service: Pick<TestService, 'url' | 'app'>,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage & { email: string }> {
  const { key } = await createInvitation(service.app, { email: null, invitedBy: null })
  const watched = await openPage(browser, service.url, options)
  const email = `person-${process.pid}-${accounts++}@example.com`
  await signUp(watched.page, invitationUrl(service.url, key), email)
  return { ...watched, email }
}

/** Goes through the page that a one-time link leads to. */
export async function signUp(page: Page, link: string, email: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Name').fill('Lena Roth')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
}

/** Asks the API as the page's own account, by its session. */
export async function sendAs(page: Page, method: string, path: string, body?: object): Promise<Answer> {
  const request = { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  const script = `fetch(${JSON.stringify(path)}, ${JSON.stringify(request)})
    .then(async (response) => ({ status: response.status, body: await response.json() }))`
  return page.evaluate<Answer>(script)
}

interface Answer {
  status: number
  // Answers are looked into freely; what is not there fails the test's own assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}
