import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pause } from '../../dashboard/src/api/pause.ts'
import { bulkTests, button, countThem, dialog, figure } from '../support/bulk-submission.ts'
import { contractWith } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { sendAs } from '../support/signed-in-page.ts'

const { openWithCandidates, logsOf, assertAllHave } = bulkTests(await dashboardTests())

test('an event goes to the counted OPEN candidates of a filtered list, and the report lists each of them', async () => {
  const { page, pageErrors, names, other } = await openWithCandidates(4)
  const [first, second] = names as [string, string]
  await sendAs(page, 'PATCH', '/v1/me', { time_zone: 'Pacific/Kiritimati' })
  await sendAs(page, 'POST', `/v1/candidates/${first}/events`, { type: 'done' })
  await page.goto('/candidates?customer=acme')
  await page.getByRole('button', { name: 'Submit to all' }).click()
  // What conditions ask for is offered.
  await button(page, 'done').click()
  await dialog(page).getByLabel('Value').fill('5')
  await button(page, 'Count recipients').click()
  await dialog(page)
    .getByText('The list has 4 candidates. 3 candidates are OPEN and get the event.')
    .waitFor()
  await dialog(page).getByText('The others cannot take events: 1 PENDING.').waitFor()
  // Who joins the list later does not get it.
  const late = { candidate_alias: `${other}-late`, customer_uuid: 'acme', contract: contractWith() }
  await sendAs(page, 'POST', '/v1/candidates', late)
  await sendAs(page, 'POST', `/v1/candidates/${second}/events`, { type: 'done' })
  // Pressed twice at once, it is one run.
  await button(page, 'Submit to 3 candidates').evaluate(
    ({ form }: { form: { requestSubmit: () => void } }) => {
      form.requestSubmit()
      form.requestSubmit()
    },
  )
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '2')
  assert.equal(await figure(page, 'Refused'), '1')
  await dialog(page).getByRole('listitem').filter({ hasText: 'became' }).getByText('CONFIRMED').waitFor()
  await dialog(page).getByText('CLAIM_NOT_OPEN').click()
  await dialog(page).getByRole('link', { name: second }).waitFor()

  const coming = page.waitForEvent('download')
  await button(page, 'Download report').click()
  const file = await coming
  const [, day, hour] = /^bulk-submission-([\d-]{10})T(\d\d)\d{4}\.csv$/.exec(file.suggestedFilename()) ?? []
  const sinceThatHour = Date.now() - Date.parse(`${day}T${hour}:00+14:00`)
  assert.ok(sinceThatHour >= 0 && sinceThatHour < 2 * 3_600_000, 'the name has the account’s time')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  assert.equal(
    lines[0],
    '"candidate_alias","result","status","scheduled_outcome","code","message","event_id","event_type"',
  )
  assert.equal(lines.length, 4)
  assert.equal(lines.filter((line) => line.includes('"recorded","PENDING","CONFIRMED"')).length, 2)
  assert.match(lines.find((line) => line.includes(second)) ?? '', /"refused","","","CLAIM_NOT_OPEN","/)

  await button(page, 'Done').click()
  await dialog(page).waitFor({ state: 'detached' })
  await assertAllHave(names, 'done')
  assert.deepEqual(await logsOf([other, late.candidate_alias]), [])
  assert.deepEqual(pageErrors, [])
})

test('a pause with an aborted signal rejects immediately', () =>
  assert.rejects(pause(60_000, AbortSignal.abort(new Error('stopped'))), /stopped/))

test('an event that every claim would refuse is refused before counting', async () => {
  const { page } = await openWithCandidates(1)
  await page.goto('/candidates')
  await page.getByRole('button', { name: 'Submit to all' }).click()
  const fields = dialog(page).getByLabel('Fields as JSON')
  await dialog(page).getByLabel('Type').fill('review_window_elapsed')
  await button(page, 'Count recipients').click()
  await dialog(page).getByText('This type is reserved for the service').waitFor()
  await dialog(page).getByLabel('Type').fill('seen')
  await dialog(page).getByText('More fields').click()
  for (const [json, problem] of [
    ['[1]', 'Must be a JSON object'],
    ['{"candidate_alias": "another-one"}', 'candidate_alias cannot be set here'],
    ['{"system": true}', 'system cannot be set here'],
    ['{"id": 7}', 'id must be text of 1 to 255 characters'],
  ] as const) {
    await fields.fill(json)
    await button(page, 'Count recipients').click()
    await dialog(page).getByText(problem).waitFor()
  }
})

test('without a filter, the number of recipients must be typed', async () => {
  const { page } = await openWithCandidates(2)
  await page.goto('/candidates?status=OPEN&sort=oldest')
  await countThem(page, { type: 'seen' })
  await button(page, 'Submit to 3 candidates').click()
  await dialog(page).getByText('Type 3', { exact: true }).waitFor()
  await dialog(page).getByLabel('No filter is set').fill('3')
  await button(page, 'Submit to 3 candidates').click()
  await button(page, 'Done').waitFor()
  assert.equal(await figure(page, 'Recorded'), '3')
})
