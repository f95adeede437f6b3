import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openPage, startBrowser } from '../tests/support/browser.ts'
import { type ServeProcess, startServeProcess } from '../tests/support/serve-process.ts'
import { PASSWORD, signUp } from '../tests/support/signed-in-page.ts'
import { type DemoData, makeDemoData, type Send, waitUntilFinal } from './screenshots/demo-data.ts'
import { type DemoEndpoints, makeDemoEndpoints } from './screenshots/demo-endpoints.ts'

/*
 * Takes a picture of every page of the dashboard, in light and dark, wide and on a phone: of the real service with
 * made-up data. They go to screenshots/, and three chosen ones for the README to docs/images/. Names of pages as
 * arguments limit it to those (`npm run screenshots -- schema customers`).
 */

const ASKED_FOR = process.argv.slice(2)
const isAskedFor = (name: string) => ASKED_FOR.length === 0 || ASKED_FOR.includes(name)

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const FOLDER = at('screenshots')

const pagesOf = (data: DemoData & DemoEndpoints): Record<string, string> => ({
  overview: `/?clock=${data.clock}`,
  'overview-live': '/',
  activity: '/activity',
  claims: '/claims',
  'claim-open': `/claims/${data.openClaim}`,
  'claim-paused': `/claims/${data.pausedClaim}`,
  'claim-pending': `/claims/${data.pendingClaim}`,
  'claim-final': `/claims/${data.finalClaim}`,
  candidates: '/candidates',
  candidate: `/candidates/${data.candidate}`,
  schemas: '/schemas',
  'schema-new': '/schemas/new',
  schema: `/schemas/${data.schema}`,
  'schema-clock': `/schemas/${data.schemaWithClock}`,
  calendars: '/calendars',
  'calendar-new': '/calendars/new',
  calendar: `/calendars/${data.calendar}`,
  customers: '/customers',
  customer: `/customers/${data.customer}`,
  'test-clocks': '/test-clocks',
  'test-clock': `/test-clocks/${data.clock}`,
  webhooks: '/webhooks',
  webhook: `/webhooks/${data.endpoint}`,
  'webhook-failing': `/webhooks/${data.failingEndpoint}?status=waiting`,
  tokens: '/tokens',
  settings: '/settings',
  'not-found': '/claims/00000000-0000-7000-8000-000000000000',
})

/** For the README: name, page, theme. */
const CHOSEN = [
  ['overview', 'overview', 'light'],
  ['claim', 'claim-open', 'dark'],
  ['schema', 'schema', 'light'],
] as const

const SCREENS = {
  wide: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
}
const THEMES = ['light', 'dark'] as const
const EMAIL = 'lena@example.com'

const releases: (() => Promise<void>)[] = []
const scope = { after: (release: () => Promise<void>) => void releases.unshift(release) }
try {
  await takeAll()
} finally {
  for (const release of releases) await release()
}

async function takeAll(): Promise<void> {
  if (ASKED_FOR.length === 0) await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  await mkdir(at('docs/images'), { recursive: true })
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-screenshots-'))
  scope.after(() => rm(folder, { recursive: true, force: true }))
  const settings = {
    CLAIMKEEPER_DATA_DIR: join(folder, 'data'),
    CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
    DATABASE_URL: '',
    LOG_LEVEL: 'warn',
  }
  const service = await startServeProcess(scope, settings)
  const browser = await startBrowser(scope)

  await takeEmpty(browser, service)
  const send = senderOf(service)
  const endpoints = await makeDemoEndpoints(scope, send)
  const data = { ...(await makeDemoData(send)), ...endpoints }
  await waitUntilFinal(send, data.finalClaim)
  const { page } = await openPage(browser, service.url)
  await page.goto('/sign-in')
  await signIn(page)
  const storageState = await page.context().storageState()

  for (const theme of THEMES) {
    for (const [screen, options] of Object.entries(SCREENS)) {
      const { page } = await openPage(browser, service.url, { ...options, colorScheme: theme, storageState })
      for (const [name, path] of Object.entries(pagesOf(data)).filter(([name]) => isAskedFor(name))) {
        await page.goto(path)
        await settle(page)
        await page.screenshot({ path: `${FOLDER}/${name}-${theme}-${screen}.png`, fullPage: true })
      }
    }
  }
  for (const [file, name, theme] of CHOSEN.filter(([, name]) => isAskedFor(name))) {
    const { page } = await openPage(browser, service.url, {
      ...SCREENS.wide,
      colorScheme: theme,
      storageState,
    })
    await page.goto(pagesOf(data)[name] as string)
    await settle(page)
    await page.screenshot({ path: at(`docs/images/${file}.png`) })
  }
}

/** What a newcomer sees, before there are data: signing up and the first overview. */
async function takeEmpty(browser: Browser, service: ServeProcess): Promise<void> {
  const link = /\S+\/welcome#key=\S+/.exec(service.output())?.[0] as string
  for (const theme of THEMES) {
    for (const [screen, options] of Object.entries(SCREENS)) {
      const { page } = await openPage(browser, service.url, { ...options, colorScheme: theme })
      const take = (name: string) =>
        page.screenshot({ path: `${FOLDER}/${name}-${theme}-${screen}.png`, fullPage: true })
      await page.goto('/sign-in')
      await settle(page)
      await take('sign-in')
      if (theme === 'light' && screen === 'wide') {
        await page.goto(link)
        await page.getByLabel('Name').waitFor()
        await take('welcome')
        await signUp(page, link, EMAIL)
      } else {
        await signIn(page)
      }
      await settle(page)
      await take('overview-empty')
    }
  }
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
}

/** Until nothing is being loaded. Pages with a clock ask on, so their quiet is not waited for long. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
}

function senderOf({ url, token }: ServeProcess): Send {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return (await response.json()) as Awaited<ReturnType<Send>>
  }
}
