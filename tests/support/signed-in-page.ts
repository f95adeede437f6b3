import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openPage, type WatchedPage } from './browser.ts'
import { contractWith } from './contracts.ts'
import { newSession, newUserWithPassword, PASSWORD, userIdOf } from './new-session.ts'
import type { Contract } from './source/contracts.ts'
import type { TestService } from './test-service.ts'

export { PASSWORD }

export type SignedInPage = WatchedPage & { email: string }

let accounts = 0

/** A page of a new account at the overview. */
export async function openSignedInPage(
  service: TestService,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<SignedInPage> {
  const watched = await newSignedInPage(service, browser, options)
  await openOverview(watched.page)
  return watched
}

export async function openOverview(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
}

/** A blank page of a new account, in a context of its own. */
export async function newSignedInPage(
  service: TestService,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<SignedInPage> {
  const email = await newPasswordAccount(service)
  return { ...(await newPageOf(service, browser, email, options)), email }
}

/** A page of this account, in a browser of its own. */
export async function newPageOf(
  service: TestService,
  browser: Browser,
  email: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, service.url, options)
  await signIn(watched.page, service, email)
  return watched
}

/** A new account. Returns its email. */
export async function newPasswordAccount(service: TestService): Promise<string> {
  const email = `person-${process.pid}-${accounts++}@example.com`
  await newUserWithPassword(service, email, 'Lena Roth')
  return email
}

/** Gives the page a session of the account, inserted directly. */
export async function signIn(page: Page, { sql, url }: TestService, email: string): Promise<void> {
  const session = await newSession(sql, await userIdOf(sql, email))
  const cookie = { ...session, url, httpOnly: true, sameSite: 'Strict' } as const
  await page.context().addCookies([cookie])
}

/** Signs up through the page of a one-time link. */
export async function signUp(page: Page, link: string, email: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Name').fill('Lena Roth')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
}

/** Sends a request as the page's account, with its session. */
export async function sendAs(page: Page, method: string, path: string, data?: object): Promise<Answer> {
  // With the cookies of the browser but not through it, which would take longer.
  const headers = { 'Sec-Fetch-Site': 'same-origin' }
  const answer = await page.request.fetch(path, { method, headers, ...(data && { data }) })
  return { status: answer.status(), body: await answer.json() }
}

/** Creates a record of the page's account and returns it. */
export const createAs = async (page: Page, path: string, body: object): Promise<Answer['body']> =>
  (await sendAs(page, 'POST', path, body)).body

/** Creates a customer of the page's account. Returns its id. */
export const createCustomer = async (page: Page, externalId: string): Promise<string> =>
  (await createAs(page, '/v1/customers', { external_id: externalId })).id

/** Creates a claim of a new customer. Returns its id. */
export async function newClaimOf(page: Page, terms: Partial<Contract> = {}): Promise<string> {
  const customer_id = await createCustomer(page, `acme-${performance.now()}`)
  return (await createAs(page, '/v1/claims', { customer_id, contract: contractWith(terms) })).id
}

interface Answer {
  status: number
  // Tests read any field of a response. A missing field fails the assertion of the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}
