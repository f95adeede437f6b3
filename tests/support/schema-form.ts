import type { Locator, Page } from 'playwright-core'
import { contractWith } from './contracts.ts'
import { button } from './controls.ts'
import { sendAs } from './signed-in-page.ts'
import type { Condition, Contract } from './source/contracts.ts'

/* The page of a schema: its contract as a form and as JSON. */

export const json = (page: Page) => page.getByLabel('Contract as JSON')
export const readJson = async (page: Page) => JSON.parse(await json(page).inputValue())
export const conditionOf = async (page: Page) => (await readJson(page)).fulfillment_condition
export const eventType = (page: Page, n: number) => page.getByLabel('Event type').nth(n)

export const contractOf = (condition: Condition) => contractWith({ fulfillment_condition: condition })

/** The menu of a node, such as “event delivered” or “group Not this”. Opens the menu if it is closed. */
export async function menuOf(page: Page, node: string): Promise<Locator> {
  const menu = page.getByRole('menu', { name: `Edit ${node}`, exact: true })
  if (!(await menu.isVisible())) await button(page, `Edit ${node}`).first().press('Enter')
  return menu
}

/** Chooses an edit in the menu of a node. */
export async function editNode(page: Page, node: string, edit: string): Promise<void> {
  await (await menuOf(page, node)).getByRole('menuitem', { name: edit, exact: true }).press('Enter')
}

/** Whether a description of the control (`aria-describedby`) matches. */
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
