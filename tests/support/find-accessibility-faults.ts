import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'

interface Violation {
  id: string
  impact: string | null
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/** Of the page that it was put into. */
interface Window {
  axe: { run: (element: unknown, options: object) => Promise<{ violations: Violation[] }> }
}

/** What depends on the theme. */
export const COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe finds serious or critical, a line each, on the page as it stands or in this part of it: by all rules, or by these alone. */
export async function findAccessibilityFaults(
  shown: Page | Locator,
  rules?: readonly string[],
): Promise<string[]> {
  const [page, part] = 'goto' in shown ? [shown, shown.locator(':root')] : [shown.page(), shown]
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // Details of what is well take most of its time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const { violations } = await part.evaluate(
    (element, given) => (globalThis as unknown as Window).axe.run(element, given),
    options,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`))
}
