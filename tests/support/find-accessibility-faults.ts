import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'

interface Violation {
  id: string
  impact: string | null
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/** The window of the tested page. */
interface Window {
  axe: { run: (element: unknown, options: object) => Promise<{ violations: Violation[] }> }
}

/** Rules that depend on the theme. */
export const COLOURS = ['color-contrast', 'link-in-text-block']

/** Waits until nothing is loading. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
}

/** Whether the page is wider than the screen. */
export const isTooWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Serious and critical violations that axe finds on a page or in a part of it, one line each. Default: by all rules. */
export async function findAccessibilityFaults(
  shown: Page | Locator,
  rules?: readonly string[],
): Promise<string[]> {
  const [page, part] = 'goto' in shown ? [shown, shown.locator(':root')] : [shown.page(), shown]
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // Details of passed rules would take most of the time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const { violations } = await part.evaluate(
    (element, given) => (globalThis as unknown as Window).axe.run(element, given),
    options,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`))
}
