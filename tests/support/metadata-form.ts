import type { Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { button, focusComesTo } from './controls.ts'
import { createAs, createCustomer, sendAs } from './signed-in-page.ts'

/* The metadata of a record in the dashboard: its card, the form that edits it, and the filter of lists by it. */

export type Metadata = Record<string, string>

/** On the page of an account, which gets the customer acme. */
export async function metadataForm(page: Page) {
  const customer_id = await createCustomer(page, 'acme')
  const card = page.getByRole('region', { name: 'Metadata' })
  const form = page.getByRole('dialog', { name: 'Edit metadata' })
  const field = (part: 'Key' | 'Value', number: number) =>
    page.getByLabel(`${part} ${number}`, { exact: true })
  return {
    card,
    form,
    field,
    save: () => button(form, 'Save').click(),
    /** The next change request. */
    nextChange: () => page.waitForRequest((request) => request.method() === 'PATCH'),

    /** Creates a claim. Its path is the same in the dashboard and in the API. */
    newClaim: async (metadata: Metadata = {}) => {
      const claim = { customer_id, contract: contractWith(), metadata }
      const path = `/claims/${(await createAs(page, '/v1/claims', claim)).id}`
      const read = async () => (await sendAs(page, 'GET', `/v1${path}`)).body.metadata
      const change = (changes: object) => sendAs(page, 'PATCH', `/v1${path}`, { metadata: changes })
      return { path, read, change }
    },

    edit: async (path: string): Promise<void> => {
      await page.goto(path)
      await button(card, 'Edit metadata').click()
      await focusComesTo(field('Key', 1))
    },

    /** The content of the card, one line per key. */
    shown: async (): Promise<Metadata> => {
      const keys = await card.locator('dt').allInnerTexts()
      const values = await card.locator('dd').allInnerTexts()
      return Object.fromEntries(keys.map((key, i) => [key, values[i] as string]))
    },

    /** Opens the filter of claims by metadata. Returns a function that fills in a pair. */
    openFilter: async () => {
      await page.goto('/claims')
      await page.getByRole('button', { name: 'More filters' }).click()
      const filter = page.getByRole('group', { name: 'Metadata' })
      const write = async (key: string, value: string) => {
        await filter.getByLabel('Metadata key').fill(key)
        await filter.getByLabel('Metadata value').fill(value)
      }
      return { filter, write }
    },
  }
}
