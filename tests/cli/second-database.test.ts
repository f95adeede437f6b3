import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { newDataFolder } from '../support/data-folder.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

const COMMANDS = [
  ['user', 'create', '--email', 'ann@example.com'],
  ['user', 'list'],
  ['token', 'create', '--email', 'ann@example.com', '--name', 'x'],
]

describe('a command that makes no database', () => {
  test('says where it looked and what to set, and leaves nothing behind', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    for (const command of COMMANDS) {
      const { status, stdout, stderr } = await runSharedCli(command, { CLAIMKEEPER_DATA_DIR })
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(
        stderr,
        /^claimkeeper: There is no database of Claimkeeper in [^\n]*CLAIMKEEPER_DATA_DIR[^\n]*\n$/,
      )
      assert.ok(stderr.includes(CLAIMKEEPER_DATA_DIR), stderr)
    }
    assert.equal(existsSync(CLAIMKEEPER_DATA_DIR), false)
    await mkdir(CLAIMKEEPER_DATA_DIR)
    assert.equal((await runSharedCli(['user', 'list'], { CLAIMKEEPER_DATA_DIR })).status, 1)
    assert.deepEqual(await readdir(CLAIMKEEPER_DATA_DIR), [])
  })

  test('refuses an empty database of one’s own, and makes no tables in it', async (t) => {
    const DATABASE_URL = await createTestDatabase(t, { migrated: false })
    for (let i = 0; i < 2; i++) {
      const { status, stderr } = await runSharedCli(['user', 'create', '--email', 'a@b.c'], { DATABASE_URL })
      assert.equal(status, 1)
      assert.match(
        stderr,
        /^claimkeeper: There are no tables of Claimkeeper in the database at \S+ \(claimkeeper_test_\w+\). Set DATABASE_URL/,
      )
      const { password } = new URL(DATABASE_URL)
      assert.ok(password === '' || !stderr.includes(password))
    }
  })
})

test('names of others reach a terminal with their control characters escaped', async (t) => {
  const { databaseUrl: DATABASE_URL, sql } = await startTestService(t)
  await sql("UPDATE users SET name = E'\\x1b]0;owned\\x07 \\u009b2J \\u202e'")
  await sql("UPDATE api_tokens SET name = E'\\x1b[2J\\nrow'")
  for (const command of [
    ['user', 'list'],
    ['user', 'list', '--json'],
    ['token', 'list'],
    ['token', 'list', '--json'],
  ]) {
    const { stdout } = await runSharedCli(command, { DATABASE_URL })
    assert.match(stdout, /\\u001b/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
})
