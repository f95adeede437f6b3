import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newCustomer } from '../support/new-records.ts'
import { isMissing } from '../support/programs.ts'
import { sharedService } from '../support/shared.ts'

/* The walk-throughs are pasted into a shell as they are, and the service answers what they show. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const service = await sharedService()

interface Block {
  language: string
  text: string
}

async function blocksOf(path: string): Promise<Block[]> {
  const document = await readFile(`${ROOT}${path}`, 'utf8')
  return [...document.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language, text]) => ({ language, text }) as Block,
  )
}

/** `get`, `post` and `id_of`, as the README defines them. */
async function shellFunctions(): Promise<string> {
  const first = (await blocksOf('README.md')).find(({ text }) => text.includes('id_of()'))
  const lines = first?.text.split('\n').filter((line) => /^\w+\(\) \{/.test(line)) ?? []
  assert.equal(lines.length, 3)
  return lines.join('\n')
}

const MARK = '@@ end of block'

/** The last answer that each block of shell prints. */
async function answersOf(scripts: string[]): Promise<unknown[]> {
  const account = await service.newAccount()
  const customer = await newCustomer(account)
  const variables = `API=${account.url} TOKEN=${account.token} CUSTOMER=${customer.id}`
  const script = [variables, await shellFunctions(), ...scripts.map((text) => `${text}\necho '${MARK}'`)]
  // A pipe of the shell: `id_of` opens /dev/stderr, which a socket refuses.
  const { stdout } = await promisify(execFile)('bash', ['-c', `{\n${script.join('\n')}\n} 2>&1 | cat`])
  return stdout
    .split(MARK)
    .slice(0, -1)
    .map((printed) => {
      const last = printed.split('\n').findLast((line) => line.trim() !== '') as string
      assert.match(last, /^\{/, stdout)
      return JSON.parse(last)
    })
}

/** Guides that consist of shell commands and answers. */
const guides: string[] = []
for await (const path of glob('docs/guides/*.md', { cwd: ROOT })) {
  if ((await blocksOf(path)).some(({ text }) => text.includes('test_clocks'))) guides.push(path)
}

test('there are walk-throughs', () => assert.ok(guides.length >= 5))

for (const path of guides.sort()) {
  test(`${path}: the service answers what the guide shows`, { skip: isMissing('curl') }, async () => {
    const blocks = await blocksOf(path)
    const answers = await answersOf(
      blocks.filter(({ language }) => language === 'sh').map(({ text }) => text),
    )
    let shells = 0
    for (const { language, text } of blocks) {
      if (language === 'sh') shells++
      else assert.partialDeepStrictEqual(answers[shells - 1], JSON.parse(text), text)
    }
  })
}
