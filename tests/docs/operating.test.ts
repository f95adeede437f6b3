import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import packageJson from '../../package.json' with { type: 'json' }
import { runSharedCli } from '../support/shared-cli.ts'
import { CATALOGUE, SETTINGS } from '../support/source/service.ts'
import { createTestDatabase } from '../support/test-database.ts'

/* What the pages for operators tell to type is what there is. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** By their path from the root; without what is in comments. */
const pages = new Map<string, string>()
before(async () => {
  for await (const name of glob(['*.md', 'docs/**/*.md', 'bench/*.md'], { cwd: ROOT }))
    pages.set(name, (await readFile(join(ROOT, name), 'utf8')).replaceAll(/<!--[\s\S]*?-->/g, ''))
})
const forOperators = () =>
  [...pages].filter(([name]) => /^docs\/operating\/|^docs\/(setup|metrics)\.md/.test(name))

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  const headings = [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(
    ([, heading]) => heading as string,
  )
  return headings.map((heading) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link between documents leads to a file, and to a heading of it', () => {
  const broken: string[] = []
  for (const [name, text] of pages) {
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target) || target.startsWith('/')) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? name : join(dirname(name), path)
      const isThere = existsSync(join(ROOT, file))
      const to = pages.get(file)
      if (!isThere || (anchor && to !== undefined && !anchorsOf(to).includes(anchor)))
        broken.push(`${name}: ${target}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('every command of claimkeeper is one, with the options that are given', async () => {
  const commands = new Set<string>()
  for (const [, text] of forOperators())
    for (const [, command = ''] of text.matchAll(/(?:npx |^)claimkeeper ([a-z][^`\n|]*)/gm))
      commands.add(command.trim())
  assert.ok(commands.size > 5)
  const helps = new Map<string, Promise<string>>()
  const helpOf = (words: string[]): Promise<string> => {
    const key = words.join(' ')
    const help =
      helps.get(key) ??
      runSharedCli([...words, '--help']).then(({ status, stdout }) => (status === 0 ? stdout : ''))
    helps.set(key, help)
    return help
  }
  for (const command of commands) {
    const words = command.split(/\s+#/)[0]?.split(/\s+/) ?? []
    const bare = words.slice(
      0,
      words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith('-')) >>> 0,
    )
    const name = /^(user|token|archive|calendar)$/.test(bare[0] ?? '') ? bare.slice(0, 2) : bare.slice(0, 1)
    const help = await helpOf(name)
    assert.ok(help.includes(`claimkeeper ${name.join(' ')} `), `${command}: no such command`)
    for (const option of words.filter((word) => word.startsWith('--') && word !== '--help'))
      assert.ok(help.includes(option.split('=')[0] as string), `${command}: no option ${option}`)
  }
})

test('every setting, metric, path of the service, file and script that is named is there', async () => {
  const settings = new Set<string>([
    ...Object.values(SETTINGS).map(({ name }) => name),
    'CLAIMKEEPER_TOKEN',
    // Of the file `.env` of Compose.
    'DATABASE_PASSWORD',
  ])
  const metrics: string[] = Object.values(CATALOGUE).map(({ name }) => name)
  const openapi = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'))
  // The last one is a collector's.
  const paths = [...Object.keys(openapi.paths), '/v1/traces']
  for (const [name, text] of forOperators()) {
    for (const [setting] of text.matchAll(/\b(CLAIMKEEPER_[A-Z_]+|(METRICS|PUBLIC|DATABASE|LOG)_[A-Z_]+)\b/g))
      assert.ok(settings.has(setting), `${name}: ${setting}`)
    for (const [metric] of text.matchAll(/\bclaimkeeper_[a-z_]+[a-z]\b/g))
      assert.ok(metrics.includes(metric.replace(/_(bucket|sum|count)$/, '')), `${name}: ${metric}`)
    for (const [, path = ''] of text.matchAll(/`(?:[A-Z]+ )?(\/v1\/[^`?\s]*)`/g))
      assert.ok(paths.includes(path.replaceAll(/:(\w+)/g, '{$1}')), `${name}: ${path}`)
    for (const [, file = ''] of text.matchAll(/`((?:deploy|tests|src|scripts|docs)\/[\w./-]+)`/g))
      assert.ok(existsSync(join(ROOT, file)), `${name}: ${file}`)
    for (const [, script = ''] of text.matchAll(/npm run (?:--\S+ )*([\w:][\w:-]*)/g))
      assert.ok(script in packageJson.scripts, `${name}: npm run ${script}`)
  }
})

test('every block of shell is one that bash can read', () => {
  for (const [name, text] of forOperators())
    for (const [, block = ''] of text.matchAll(/```sh\n([\s\S]*?)```/g))
      assert.doesNotThrow(
        () => execFileSync('bash', ['-n'], { input: block, stdio: 'pipe' }),
        `${name}: ${block}`,
      )
})

test('every statement of SQL runs on the database of the service', async () => {
  const client = new pg.Client({ connectionString: await createTestDatabase({ after }) })
  await client.connect()
  try {
    let count = 0
    for (const [name, text] of forOperators()) {
      const ofPsql = [...text.matchAll(/psql "\$DATABASE_URL" -c "([^"]*)"/g)].map(([, sql]) => sql as string)
      const blocks = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql as string)
      for (const sql of [...ofPsql, ...blocks]) {
        count++
        await assert.doesNotReject(client.query(sql), `${name}: ${sql}`)
      }
    }
    assert.ok(count > 8, `${count}`)
  } finally {
    await client.end()
  }
})
