import type { Locator } from 'playwright-core'

/** What differs, a row each, as the dialog of a conflict shows it. */
export async function differencesIn(dialog: Locator): Promise<string[][]> {
  const rows = await dialog.getByRole('table', { name: 'What differs' }).locator('tbody tr').all()
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
}
