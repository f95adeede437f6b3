import { test } from 'node:test'
import { startServeProcess } from '../support/serve-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareCheck, SOON, SOONER } from './check-killed.ts'

test('a server that is killed in the middle of a check loses and doubles nothing, and the next one finishes the check', async (t) => {
  const DATABASE_URL = await createTestDatabase(t)
  const first = await startServeProcess(t, { DATABASE_URL, ...SOON })
  const check = await prepareCheck(t, first, DATABASE_URL)
  await check.isHalfDone()
  await first.end('SIGKILL')
  await check.isFinishedBy(await startServeProcess(t, { DATABASE_URL, ...SOONER }))
})
