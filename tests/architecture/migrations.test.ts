import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWN_MIGRATIONS } from '../support/source/database.ts'
import { LAST_RELEASE } from '../support/versions.ts'

const since = OWN_MIGRATIONS.filter(({ version }) => version > LAST_RELEASE.migration)
/** 0013 is older than the rule about indexes. */
const beforeStart = since.filter(({ version, background }) => version > 13 && background === null)

test('servers of the last release run on what this version makes of the database', () => {
  for (const { name, worksFrom } of since)
    assert.ok(
      worksFrom <= LAST_RELEASE.migration,
      `${name} works with servers from ${worksFrom} on, and the last release has ${LAST_RELEASE.migration}: contract a release later (CONTRIBUTING.md, Migrations)`,
    )
})

test('no migration before the start makes an index on a table that was there already', () => {
  for (const { name, text } of beforeStart) {
    for (const [, table] of text.matchAll(/CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?\w+ ON (\w+)/g))
      assert.match(
        text,
        new RegExp(`CREATE TABLE ${table}\\b`),
        `${name}: make it in the background (CONTRIBUTING.md, Migrations)`,
      )
  }
})
