import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { sendAs } from './signed-in-page.ts'

/* The activity page, and records for it to show. */

export const CONTRACT = contractWith({ price: 12.5, review_window: 0 })

export const rows = (page: Page) => page.getByRole('table', { name: 'Activity' }).locator('tbody tr')

/** The text of each row, newest first. */
export const shownEntries = async (page: Page) =>
  (await rows(page).allInnerTexts()).map((text) =>
    text
      .split(/[\t\n]+/)
      .slice(0, 2)
      .join(' ')
      // Times contain non-breaking spaces.
      .replaceAll('\u00a0', ' '),
  )

/** Waits until the page shows this status of its notification stream. */
export const liveness = (page: Page, words: string) =>
  page.getByRole('main').getByRole('status').getByText(words, { exact: true }).waitFor()

/** Creates candidates of acme one after the other, because a batch has no order. */
export async function createCandidates(page: Page, ...aliases: string[]): Promise<void> {
  for (const candidate_alias of aliases) {
    const candidate = { candidate_alias, customer_uuid: 'acme', contract: CONTRACT }
    assert.equal((await sendAs(page, 'POST', '/v1/candidates', candidate)).status, 201)
  }
}

/** Counts the notification streams that the page has open. */
export function watchStreams(page: Page) {
  const streams = new Set<unknown>()
  let most = 0
  let begun = 0
  page.on('request', (request) => {
    if (request.headers().accept !== 'text/event-stream') return
    streams.add(request)
    begun++
    most = Math.max(most, streams.size)
  })
  page.on('requestfailed', (request) => void streams.delete(request))
  page.on('requestfinished', (request) => void streams.delete(request))
  return { open: () => streams.size, mostAtOnce: () => most, begun: () => begun }
}
