import type { Locator } from 'playwright-core'

/** The rows of the conflict dialog's table of differences. */
export async function differencesIn(dialog: Locator): Promise<string[][]> {
  const rows = await dialog.getByRole('table', { name: 'Differences' }).locator('tbody tr').all()
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
}
