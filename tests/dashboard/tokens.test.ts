import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startTestBrowser } from '../support/browser.ts'
import { newSignedInPage, openSignedInPage } from '../support/signed-in-page.ts'
import { startTestService } from '../support/test-service.ts'

const service = await startTestService({ after })
const browser = await startTestBrowser()

test('a token made in the page works in the curl that the page shows, and stops at once when it is revoked', async () => {
  const { page, complaints } = await openSignedInPage(service, browser)
  await page.getByRole('link', { name: 'API tokens' }).click()
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('nightly-import')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await page.getByText('shown only this once').waitFor()
  const command = await page.locator('dialog pre').innerText()
  assert.match(command, /^curl .*Bearer ck_[A-Za-z0-9_-]{43}'$/)
  assert.equal(await statusOf(command), '200')

  await page.getByRole('button', { name: 'I have copied it' }).click()
  assert.equal(await page.getByText(/ck_[A-Za-z0-9_-]{43}/).count(), 0)
  await page.getByRole('button', { name: 'Revoke nightly-import' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('cell', { name: 'nightly-import revoked' }).waitFor()
  assert.equal(await statusOf(command), '401')
  assert.deepEqual(complaints, [])
})

test('a token may end with a day', async () => {
  const { page } = await newSignedInPage(service, browser)
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create token' }).first().click()
  await page.getByLabel('Name').fill('until-june')
  await page.getByLabel('Last day').fill('2031-06-30')
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('cell', { name: /30 Jun 2031, 23:59:59/ }).waitFor()
})

/** Runs the command as a shell would, and asks for the status alone. */
async function statusOf(command: string): Promise<string> {
  const run = promisify(execFile)
  const { stdout } = await run('sh', ['-c', `${command} -o /dev/null -w '%{http_code}'`])
  return stdout
}
