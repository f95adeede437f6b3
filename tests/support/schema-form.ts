import type { Locator, Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { sendAs } from './signed-in-page.ts'
import type { Condition, Contract } from './source/contracts.ts'

/* The page of a schema: its contract as a form and as JSON. */

export const json = (page: Page) => page.getByLabel('Contract as JSON')
export const readJson = async (page: Page) => JSON.parse(await json(page).inputValue())
export const conditionOf = async (page: Page) => (await readJson(page)).fulfillment_condition
export const eventType = (page: Page, n: number) => page.getByLabel('Event type').nth(n)

export const contractOf = (condition: Condition) => contractWith({ fulfillment_condition: condition })

/** Whether a text that the control is tied to says so. */
export async function isDescribed(control: Locator, reason: RegExp): Promise<boolean> {
  const ids = (await control.getAttribute('aria-describedby'))?.split(' ') ?? []
  const texts = ids.map((id) => control.page().locator(`[id="${id}"]`).innerText())
  return (await Promise.all(texts)).some((text) => reason.test(text))
}

/** The page of a new schema with this contract. */
export async function openSchema(page: Page, contract: Contract): Promise<string> {
  const { id } = (await sendAs(page, 'POST', '/v1/schemas', { contract })).body
  await page.goto(`/schemas/${id}`)
  await json(page).waitFor()
  return id
}
