import { readFile } from 'node:fs/promises'

const MIGRATION = new URL('../../src/platform/database/migrations/0005-overview.sql', import.meta.url)

/** The SQL of the migration that fills the totals from existing resolutions. */
export async function totalsBackfillSql(): Promise<string> {
  const statements = (await readFile(MIGRATION, 'utf8')).split(';\n')
  return statements.filter((statement) => /^INSERT INTO .* GROUP BY/s.test(statement.trim())).join(';\n')
}
