import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestBrowser } from '../support/browser.ts'
import { newSignedInPage, openSignedInPage } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

test('a page whose service cannot be reached says so, and goes on by itself when it answers again', async () => {
  const { page } = await openSignedInPage(service, browser)
  const notice = page.getByText('The service cannot be reached; what is shown may be out of date.')
  // Before it shows anything, the page says that it cannot be opened.
  await page.getByText('Nothing is overdue').waitFor()
  await page.context().setOffline(true)
  await notice.waitFor()
  await page.context().setOffline(false)
  await notice.waitFor({ state: 'detached' })
})

test('a page that is gone to while the service cannot be reached says so, and can be tried again', async () => {
  const { page } = await openSignedInPage(service, browser)
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test('a page whose chunk could not be fetched stays as long as the service is away, and then comes by itself', async () => {
  const { page } = await openSignedInPage(service, browser)
  const isAway = page.getByRole('heading', { name: 'The service cannot be reached' })
  // Twice: the router loads the whole page anew for a missing chunk only once.
  for (const [link, shown] of [
    ['Customers', 'No customers yet'],
    ['Webhooks', 'No endpoints yet'],
  ] as const) {
    await page.context().setOffline(true)
    await page.getByRole('link', { name: link }).click()
    await isAway.waitFor()
    const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/healthz'))
    await page.getByRole('button', { name: 'Try again' }).click()
    await asked
    await isAway.waitFor()
    await page.context().setOffline(false)
    await page.getByText(shown).waitFor()
  }
})

test('the overview whose chart could not be fetched comes back with the service too', async () => {
  const { page } = await newSignedInPage(service, browser)
  const chart = '**/assets/resolutions-chart-*.js'
  await page.route(chart, (route) => route.abort())
  await page.route('**/healthz', (route) => route.fulfill({ status: 502 }))
  await page.goto('/')
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
  await page.unroute(chart)
  await page.unroute('**/healthz')
  await page.getByRole('region', { name: 'Resolutions by day' }).getByText('Nothing was resolved').waitFor()
})

test('a page that is refused with 503 offers to try again', async () => {
  const { page } = await openSignedInPage(service, browser)
  const body = { error: { code: 'UNAVAILABLE', message: 'The database is away.', request_id: 'req_1' } }
  await page.route('**/v1/tokens', (route) => route.fulfill({ status: 503, json: body }))
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByText('The database is away.').waitFor()
  await page.unroute('**/v1/tokens')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test('the theme that was chosen is there before the first paint, whatever the system says', async () => {
  const { page } = await newSignedInPage(service, browser, { colorScheme: 'light' })
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Dark' }).click()
  const theme = 'document.documentElement.dataset.theme'
  assert.equal(await page.evaluate(theme), 'dark')
  await page.route('**/assets/*.js', () => {})
  await page.goto('/settings', { waitUntil: 'commit' })
  await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
})

/** Compressed, of everything that the first visit loads. */
const MOST_BYTES = 250_000

test('a first visit loads less than 250 KB, compressed: the overview with its chart, and the sign-in page', async () => {
  const { page } = await openSignedInPage(service, browser)
  const loaded = `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .filter(({ name }) => !name.includes('/v1/') && !name.includes('/api/'))
    .reduce((sum, { transferSize }) => sum + transferSize, 0)`
  const state = await page.context().storageState()
  for (const [path, storageState] of [
    ['/', state],
    ['/sign-in', undefined],
  ] as const) {
    const context = await browser.newContext({
      baseURL: service.url,
      ...(storageState ? { storageState } : {}),
    })
    const visit = await context.newPage()
    await visit.goto(path)
    await visit.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    const bytes = await visit.evaluate<number>(loaded)
    assert.ok(bytes > 10_000 && bytes < MOST_BYTES, `${path} loads ${bytes} bytes`)
    if (process.env.SHOW_SIZES) console.log(path, bytes)
  }
})
