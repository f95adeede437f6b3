import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databaseProcess, embeddedUrl, madeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { startServeProcess } from '../support/serve-process.ts'
import { prepareCheck, SOON, SOONER } from './check-killed.ts'

describe('in the middle of a check', { concurrency: true }, () => {
  test('one of the server’s connections is killed with SIGKILL, so PostgreSQL ends them all', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR, ...SOON })
    const DATABASE_URL = await embeddedUrl(CLAIMKEEPER_DATA_DIR)
    const check = await prepareCheck(t, first, DATABASE_URL)
    process.kill(await check.isHalfDone(), 'SIGKILL')
    await check.isFinishedBy(await startServeProcess(t, { DATABASE_URL, ...SOONER }))
    assert.equal(first.child.exitCode, null, 'the first server lives')
  })

  test('PostgreSQL is killed with SIGKILL, and brought back on its port', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR, ...SOON })
    const DATABASE_URL = await embeddedUrl(CLAIMKEEPER_DATA_DIR)
    const check = await prepareCheck(t, first, DATABASE_URL)
    await check.isHalfDone()
    process.kill(await databaseProcess(CLAIMKEEPER_DATA_DIR), 'SIGKILL')
    await eventually(async () => first.output().includes('PostgreSQL runs again'), { seconds: 60 })
    await check.isFinishedBy(await startServeProcess(t, { DATABASE_URL, ...SOONER }))
    assert.equal(first.child.exitCode, null, 'the first server lives')
  })

  test('PostgreSQL is killed with SIGKILL, and so is the server while it brings it back', async (t) => {
    const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
    const first = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR, ...SOON })
    const check = await prepareCheck(t, first, await embeddedUrl(CLAIMKEEPER_DATA_DIR))
    await check.isHalfDone()
    process.kill(await databaseProcess(CLAIMKEEPER_DATA_DIR), 'SIGKILL')
    await eventually(async () => first.output().includes('restarting it'), { seconds: 60 })
    await first.end('SIGKILL')
    const second = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR, ...SOONER })
    await check.isFinishedBy(second, await embeddedUrl(CLAIMKEEPER_DATA_DIR))
  })
})
