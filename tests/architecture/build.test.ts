import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { replaceDirectory } from '../../scripts/replace-directory.ts'

test('builds that end at the same moment leave one of them, whole', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-'))
  t.after(() => rm(folder, { recursive: true }))
  const place = join(folder, 'dist')
  const files = Array.from({ length: 20 }, (_, i) => `${i}`).toSorted()
  const build = async (name: string) => {
    const fresh = join(folder, `dist.new-${name}`)
    await mkdir(fresh)
    for (const file of files) await writeFile(join(fresh, file), name)
    await replaceDirectory(place, fresh)
  }
  await Promise.all(Array.from({ length: 8 }, (_, i) => build(`${i}`)))
  assert.deepEqual(await readdir(folder), ['dist'])
  assert.deepEqual((await readdir(place)).toSorted(), files)
})

test('a build that cannot be put in its place says so', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-'))
  t.after(() => rm(folder, { recursive: true }))
  const missing = join(folder, 'missing')
  await assert.rejects(replaceDirectory(join(folder, 'dist'), missing), { code: 'ENOENT' })
  await writeFile(join(folder, 'file'), '')
  await mkdir(join(folder, 'fresh'))
  await assert.rejects(replaceDirectory(join(folder, 'file', 'dist'), join(folder, 'fresh')), {
    code: 'ENOTDIR',
  })
})
