import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSharedCli } from '../support/shared-cli.ts'
import { SETTINGS } from '../support/source/service.ts'

/** The names of the commands below one, as its help lists them. */
async function commandsBelow(words: string[]): Promise<string[]> {
  const { status, stdout } = await runSharedCli([...words, '--help'])
  assert.equal(status, 0, words.join(' '))
  assert.ok(stdout.startsWith(`Usage: ${['claimkeeper', ...words].join(' ')} `), stdout)
  const [, listed = ''] = stdout.split(/^Commands:$/m)
  return [...listed.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
}

test('serve --help explains each setting without links to documents that the package lacks', async () => {
  const { stdout } = await runSharedCli(['serve', '--help'])
  for (const { name } of Object.values(SETTINGS)) assert.ok(stdout.includes(`  ${name}`), name)
  assert.doesNotMatch(stdout, /\.md|`|\]\(/)
})

test('every command explains itself with --help', async () => {
  const commands = await commandsBelow([])
  assert.ok(commands.includes('serve') && commands.length >= 10, `${commands}`)
  for (const command of commands)
    for (const below of await commandsBelow([command]))
      assert.deepEqual(await commandsBelow([command, below]), [])
})
