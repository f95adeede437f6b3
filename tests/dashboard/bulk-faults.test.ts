import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { beginCounting, bulkTests, button, figure } from '../support/bulk-submission.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startBrowser({ after })
const { openWithCandidates, assertAllHave } = bulkTests(service, browser)

/** A minute's patience is half a second then, and the pauses between tries are short. */
const HURRY = `{
  const { timeout } = AbortSignal
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 120)
  const wait = window.setTimeout
  window.setTimeout = (work, ms, ...others) => wait(work, ms / 100, ...others)
}`

test('what is not the service’s answer is none: it is asked again, in counting and in sending', async () => {
  const { page, names } = await openWithCandidates(3)
  await page.addInitScript(HURRY)
  await page.goto('/candidates?customer=acme')
  await page.getByRole('link', { name: names[0] ?? '' }).waitFor()
  const login = { contentType: 'text/html', body: '<title>Sign in to the network</title>' }
  const lists: string[] = []
  await page.route(/\/v1\/candidates\?.*limit=100/, (route) => {
    lists.push(route.request().url())
    // The first one gets no answer.
    if (lists.length === 2) return route.fulfill(login)
    if (lists.length === 3) return route.fulfill({ json: {} })
    if (lists.length === 4) return route.fulfill({ json: { data: [] } })
    if (lists.length > 4) return route.continue()
  })
  const batches: { id: string }[][] = []
  await page.route('**/v1/events/batch', async (route) => {
    batches.push(route.request().postDataJSON().events)
    const { results } = await (await route.fetch()).json()
    if (batches.length === 1) return route.fulfill(login)
    if (batches.length === 2) return route.fulfill({ json: { results: results.slice(1) } })
    if (batches.length === 3) return route.fulfill({ json: { results: [{}, ...results.slice(1)] } })
    if (batches.length === 4)
      return route.fulfill({ json: { results: results.map(() => ({ status: 201 })) } })
    return route.fulfill({ json: { results } })
  })
  await beginCounting(page, { type: 'seen' })
  await button(page, 'Submit to 3 candidates').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '3')
  assert.equal(lists.length, 5)
  assert.equal(batches.length, 5)
  assert.equal(new Set(batches.flat().map(({ id }) => id)).size, 1)
  await assertAllHave(names, 'seen')
})
