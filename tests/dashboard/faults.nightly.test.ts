import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage as openVisitor } from '../support/browser.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { newSignedInPage, openSignedInPage } from '../support/signed-in-page.ts'

// Tests of chunks open pages of their own: the shared page has loaded some of the chunks.
const { browser, service, newPage, openPage } = await dashboardTests()

test('a page whose chunk failed to load shows an error and recovers with the service', async () => {
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

test('an overview whose chart failed to load recovers with the service', async () => {
  const { page } = await newSignedInPage(service, browser)
  const chart = '**/assets/resolutions-chart-*.js'
  await page.route(chart, (route) => route.abort())
  await page.route('**/healthz', (route) => route.fulfill({ status: 502 }))
  await page.goto('/')
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
  await page.unroute(chart)
  await page.unroute('**/healthz')
  await page
    .getByRole('region', { name: 'Resolutions by day' })
    .getByText('No resolutions in this period.')
    .waitFor()
})

/** Compressed, of everything that the first visit loads. */
const MAX_BYTES = 250_000

test('a first visit loads less than 250 KB, compressed: the overview with its chart, and the sign-in page', async () => {
  const { page } = await newSignedInPage(service, browser)
  const { page: visitor } = await openVisitor(browser, service.url)
  await page.goto('/')
  await page
    .getByRole('region', { name: 'Resolutions by day' })
    .getByText('No resolutions in this period.')
    .waitFor()
  await visitor.goto('/sign-in')
  await visitor.getByRole('heading', { name: 'Sign in' }).waitFor()
  const loaded = `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
    .filter(({ name }) => !name.includes('/v1/') && !name.includes('/api/'))
    .reduce((sum, { transferSize }) => sum + transferSize, 0)`
  for (const visit of [page, visitor]) {
    await visit.waitForLoadState('networkidle')
    const bytes = await visit.evaluate<number>(loaded)
    assert.ok(bytes > 10_000 && bytes < MAX_BYTES, `${visit.url()} loads ${bytes} bytes`)
    if (process.env.SHOW_SIZES) console.log(visit.url(), bytes)
  }
})

test('a page says that the service is unreachable, recovers by itself, or is retried by a button', async () => {
  const { page } = await openPage()
  const notice = page.getByText('The service cannot be reached. This page may be out of date.')
  // Before it shows anything, the page says that it cannot be opened.
  await page.getByText('Nothing is overdue').waitFor()
  await page.context().setOffline(true)
  await notice.waitFor()
  await page.context().setOffline(false)
  await notice.waitFor({ state: 'detached' })

  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test('a page that gets 503 offers a retry', async () => {
  const { page } = await openPage()
  const body = { error: { code: 'UNAVAILABLE', message: 'The database is away.', request_id: 'req_1' } }
  await page.route('**/v1/tokens', (route) => route.fulfill({ status: 503, json: body }))
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByText('The database is away.').waitFor()
  await page.unroute('**/v1/tokens')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No tokens yet').waitFor()
})

test('the chosen theme is set before the first paint', async () => {
  const { page } = await newPage()
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Dark' }).click()
  const theme = 'document.documentElement.dataset.theme'
  assert.equal(await page.evaluate(theme), 'dark')
  await page.route('**/assets/*.js', () => {})
  await page.goto('/settings', { waitUntil: 'commit' })
  await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
})
