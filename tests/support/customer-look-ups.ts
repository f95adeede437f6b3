import type { Page, Request } from 'playwright-core'

const looksUp = (externalId: string) => (url: URL) =>
  url.pathname === '/v1/customers' && url.searchParams.get('external_id') === externalId

/** By either it becomes known whose it is: by its look-up, or among those that are offered. */
export const asksFor = (externalId: string) => (url: URL) =>
  looksUp(externalId)(url) ||
  (url.pathname === '/v1/customers' && url.searchParams.get('search') === externalId)

/** Holds what asks for this one until it is let through; and waits for the look-up. */
export async function holdLookUp(page: Page, externalId: string) {
  const gate = Promise.withResolvers<void>()
  const isThrough = Promise.withResolvers<void>()
  const settle = (request: Request) => {
    if (looksUp(externalId)(new URL(request.url()))) isThrough.resolve()
  }
  page.on('requestfinished', settle).on('requestfailed', settle)
  await page.route(asksFor(externalId), async (route) => {
    await gate.promise
    await route.continue()
  })
  const asked = page.waitForRequest((request) => looksUp(externalId)(new URL(request.url())))
  /** Waits until the page has the answer, if it is still asking, and has shown what comes of it. */
  const answer = async () => {
    gate.resolve()
    await isThrough.promise
    await waitUntilShown(page)
  }
  return { asked, answer }
}

/** For another answer from the service, and its picture: what the page got before is shown by then. */
async function waitUntilShown(page: Page): Promise<void> {
  await page.evaluate("fetch('/v1/customers?limit=1').then((answer) => answer.text())")
  await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))')
}
