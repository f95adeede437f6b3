import type { Locator, Page } from 'playwright-core'

/* Controls of the dashboard. */

export const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true })

export const focusComesTo = (control: Locator) => control.and(control.page().locator(':focus')).waitFor()

/** Clicks outside a dialog. */
export const clickBeside = (page: Page) => page.mouse.click(5, 5)

export const isClosed = (dialog: Locator) => dialog.waitFor({ state: 'detached' })
