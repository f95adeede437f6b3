import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { openSignedInPage } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startBrowser({ after })

test('a page whose service cannot be reached says so, and goes on by itself when it answers again', async () => {
  const { page } = await openSignedInPage(service, browser)
  const notice = page.getByText('The service cannot be reached; what is shown may be out of date.')
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
  const { page } = await openSignedInPage(service, browser, { colorScheme: 'light' })
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
