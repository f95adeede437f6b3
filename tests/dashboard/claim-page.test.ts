import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all } from '../support/contracts.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { loseAnswer } from '../support/lose-answer.ts'
import { newClaimOf, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

const TERMS = { fulfillment_condition: all({ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }) }

test('the claim page shows new events, the leaves that they satisfy, and the transitions', async () => {
  const { page, pageErrors } = await newPage()
  const id = await newClaimOf(page, TERMS)
  await page.goto(`/claims/${id}`)
  await page.getByText('Waiting for events.').waitFor()

  const submit = (event: object) => sendAs(page, 'POST', `/v1/claims/${id}/events`, event)
  const condition = page.getByRole('region', { name: 'Condition' })
  await submit({ type: 'ticket_resolved', id: 'ticket-1' })
  await condition.getByRole('link', { name: 'ticket_resolved ticket-1' }).waitFor()
  assert.equal(await condition.getByLabel('Not satisfied:').count(), 2)

  await submit({ type: 'satisfaction', value: 5 })
  await page.getByText('Under review.').waitFor()
  await condition.getByLabel('Not satisfied:').first().waitFor({ state: 'detached' })
  await page.getByText('because the event below satisfied the condition').waitFor()
  await page.getByText('Events are accepted only while it is OPEN').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('events that nearly satisfy the condition have hints, and invisible characters in a type have a note in the timeline', async () => {
  const { page, pageErrors } = await newPage()
  const id = await newClaimOf(page, TERMS)
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'ticket_resolved\u200b' })
  await sendAs(page, 'POST', `/v1/claims/${id}/events`, { type: 'satisfaction', value: '5' })
  await page.goto(`/claims/${id}`)
  const hints = page.getByRole('region', { name: 'Condition' }).getByRole('region', { name: 'Hints' })
  await hints.getByText('does not count as "ticket_resolved"').waitFor()
  await hints.getByText('it has the text "5" at "value"').waitFor()
  const note =
    'The type "ticket_resolved\\u200b" differs from "ticket_resolved" only by invisible characters: U+200B ZERO WIDTH SPACE at position 16.'
  await page.getByRole('region', { name: 'Timeline' }).getByText(note).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a refused event shows the reason at its field and keeps the input', async () => {
  const { page } = await newPage()
  const id = await newClaimOf(page, TERMS)
  await page.goto(`/claims/${id}`)
  const type = page.getByLabel('Type')
  const submit = page.getByRole('button', { name: 'Submit event' })
  await type.fill('review_window_elapsed')
  await submit.click()
  await page
    .getByText(/reserved/i)
    .first()
    .waitFor()
  assert.equal(await type.getAttribute('aria-invalid'), 'true')
  assert.equal(await type.inputValue(), 'review_window_elapsed')

  await type.fill('scanned')
  await page.getByText('More fields').click()
  await page.getByLabel('Fields as JSON').fill('{"order": 9007199254740993}')
  await submit.click()
  await page.getByText('Has a number that cannot be stored exactly: write it in quotes, as text').waitFor()
  await page.getByLabel('Fields as JSON').fill('{"order": "9007199254740993"}')
  await submit.click()
  await page.getByText('Event recorded. The status is still OPEN.').waitFor()
  const { events } = (await sendAs(page, 'GET', `/v1/claims/${id}`)).body
  assert.deepEqual(
    events.map(({ order }: { order: string }) => order),
    ['9007199254740993'],
  )
})

test('an event whose response was lost is recorded once, and a later event separately', async () => {
  const { page } = await newPage()
  const id = await newClaimOf(page, TERMS)
  await page.goto(`/claims/${id}`)
  await loseAnswer(page, '**/v1/claims/*/events')
  const eventsOf = async () => (await sendAs(page, 'GET', `/v1/claims/${id}`)).body.events
  const submit = page.getByRole('button', { name: 'Submit event' })
  await page.getByLabel('Type').fill('seen')
  await submit.click()
  await page.locator('form').getByText('The service cannot be reached').waitFor()
  await submit.click()
  await page.getByText('Event recorded. The status is still OPEN.').waitFor()
  assert.equal((await eventsOf()).length, 1)
  await page.getByLabel('Type').fill('seen')
  await submit.click()
  await page.getByRole('listitem').filter({ hasText: 'seen' }).nth(1).waitFor()
  assert.equal((await eventsOf()).length, 2)
})

test('an unknown id and another account’s claim show "Not found"', async () => {
  const { page } = await newPage()
  const id = await newClaimOf(page, TERMS)
  await newPage()
  for (const path of ['/claims/not-an-id', '/schemas/not-an-id', `/claims/${id}`]) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
  }
})
