import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SIMULATE = fileURLToPath(new URL('../../simulate', import.meta.url))

/** The folders and files of simulate/ in their order: a part may import only from earlier parts. */
const PARTS = [
  'random.ts',
  'plan.ts',
  'testbed.ts',
  'model',
  'clients',
  'operations',
  'verification',
  'testbed',
  'faults',
  'choose-faults.ts',
  'inject-faults.ts',
  'simulation.ts',
  'report.ts',
  'one-run.ts',
  'child-run.ts',
  'shrink.ts',
  'many-runs.ts',
  'fuzz',
  'mutants',
  'mutants.ts',
  'try-mutants.ts',
  'run.ts',
]

const IMPORT = /^(?:import|export)\b[^'"]*?from\s*'(\.[^']+)'/gm

test('imports of simulate/ run one way', async () => {
  const found = new Set<string>()
  for await (const file of glob('**/*.ts', { cwd: SIMULATE })) {
    const part = file.split('/')[0] as string
    found.add(part)
    for (const [, what] of (await readFile(join(SIMULATE, file), 'utf8')).matchAll(IMPORT)) {
      const target = relative(SIMULATE, join(SIMULATE, dirname(file), what as string))
      if (target.startsWith('..')) continue
      const to = target.split('/')[0] as string
      assert.ok(PARTS.indexOf(to) <= PARTS.indexOf(part), `${file} imports ${target}: ${to} comes after`)
    }
  }
  assert.deepEqual([...found].toSorted(), PARTS.toSorted())
})
