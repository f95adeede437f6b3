import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openPage, type WatchedPage } from './browser.ts'
import { newSession, newUserWithPassword, PASSWORD, userIdOf } from './new-session.ts'
import type { TestService } from './test-service.ts'

export { PASSWORD }

let accounts = 0

/** A page of a new account, at the overview, as signing up leaves it. */
export async function openSignedInPage(
  service: TestService,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage & { email: string }> {
  const email = `person-${process.pid}-${accounts++}@example.com`
  await newUserWithPassword(service, email, 'Lena Roth')
  return { ...(await openAnotherPage(service, browser, email, options)), email }
}

/** A page of the account in a browser of its own, at the overview, as signing in leaves it. */
export async function openAnotherPage(
  service: TestService,
  browser: Browser,
  email: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, service.url, options)
  const { page } = watched
  const session = await newSession(service.sql, await userIdOf(service.sql, email))
  await page.context().addCookies([{ ...session, url: service.url, httpOnly: true, sameSite: 'Strict' }])
  await page.goto('/')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  return watched
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
