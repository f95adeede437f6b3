import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  id: string
  impact: string | null
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/** What axe finds serious or critical on the page as it stands, a line each. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run(document)')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`))
}
