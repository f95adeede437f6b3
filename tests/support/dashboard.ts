import type { Browser, Page } from 'playwright-core'
import { openPage as openBrowserPage, type WatchedPage } from './browser.ts'
import { keepContextOpen, sharedBrowser, sharedWebhookService } from './shared.ts'
import { newPasswordAccount, openOverview, type SignedInPage, signIn } from './signed-in-page.ts'
import type { TestService } from './test-service.ts'

/*
 * The dashboard's tests of a process share a service, a browser and one page, which is reset for each test. A page whose
 * process and cache are warm loads in a quarter of the processor time of a new one.
 */

export interface DashboardTests {
  service: TestService
  browser: Browser
  /**
   * The shared page, signed in as a new account, at about:blank. A test whose changes cannot be reset (init scripts, its
   * clock, exposed functions) uses `newSignedInPage`.
   */
  newPage: () => Promise<SignedInPage>
  /** As `newPage`, at the overview. */
  openPage: () => Promise<SignedInPage>
}

/** Playwright's default. */
const VIEWPORT = { width: 1280, height: 720 }
/** Events that tests listen to. */
const EVENTS = ['request', 'requestfinished', 'requestfailed', 'response', 'dialog', 'download', 'popup']

let shared: WatchedPage | null = null

export async function dashboardTests(): Promise<DashboardTests> {
  const service = await sharedWebhookService()
  const browser = await sharedBrowser()
  const newPage = async () => {
    shared ??= await openSharedPage(browser, service.url)
    try {
      await reset(shared.page)
    } catch {
      // A page that has crashed or was closed cannot be reset.
      await shared.page.context().close()
      shared = await openSharedPage(browser, service.url)
    }
    const { page, pageErrors } = shared
    pageErrors.length = 0
    const email = await newPasswordAccount(service)
    await signIn(page, service, email)
    return { page, pageErrors, email }
  }
  return {
    service,
    browser,
    newPage,
    openPage: async () => {
      const watched = await newPage()
      await openOverview(watched.page)
      return watched
    },
  }
}

async function openSharedPage(browser: Browser, url: string): Promise<WatchedPage> {
  const watched = await openBrowserPage(browser, url)
  keepContextOpen(watched.page.context())
  return watched
}

/** Clears the state that the previous test left on the page. */
async function reset(page: Page): Promise<void> {
  const context = page.context()
  for (const event of EVENTS) page.removeAllListeners(event)
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  if (page.url() !== 'about:blank') await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.goto('about:blank')
  await context.clearCookies()
  await context.clearPermissions()
  await page.setViewportSize(VIEWPORT)
  await page.emulateMedia({ colorScheme: null })
}
