import assert from 'node:assert/strict'
import { test } from 'node:test'
import { any, contractWith } from '../support/contracts.ts'
import { button, focusComesTo } from '../support/controls.ts'
import { dashboardTests } from '../support/dashboard.ts'
import { contractOf, editNode, eventType, isDescribed, openSchema, readJson } from '../support/schema-form.ts'
import { createAs, createCustomer, sendAs } from '../support/signed-in-page.ts'

const { newPage } = await dashboardTests()

/* §2.1a in the dashboard: the form of a contract, the live trial and the page of a claim. */

test('optional terms are added in the form and saved; without them a contract has its five fields (§2.1a)', async () => {
  const { page, pageErrors } = await newPage()
  const plain = { ...contractOf({ event: 'delivered' }), review_window: 259_200 }
  const id = await openSchema(page, plain)
  const aggregate = page.getByLabel('What is looked at')
  await aggregate.selectOption('Number of events')
  const atLeast = page.getByRole('textbox', { name: 'at least' })
  await focusComesTo(atLeast)
  await page.keyboard.type('5')
  const reversal = page.getByLabel('Events can reverse the outcome')
  await reversal.check()
  await eventType(page, 1).fill('complaint')
  const restart = page.getByLabel('Events can restart the review')
  await restart.check()
  await eventType(page, 2).fill('message')
  await page.keyboard.press('ControlOrMeta+Enter')
  await focusComesTo(eventType(page, 3))
  await page.keyboard.type('comment')
  const strict = page.getByLabel('Late events count for nothing')
  await strict.check()
  await button(page, 'Save changes').click()
  const longest = page.getByLabel('Longest review', { exact: true })
  await focusComesTo(longest)
  assert.ok(await isDescribed(longest, /^Is required with restart_on/))
  await longest.fill('7')

  const contract = {
    ...plain,
    fulfillment_condition: { event: 'delivered', aggregate: 'count', gte: 5 },
    review: {
      reversal_condition: { event: 'complaint' },
      restart_on: any({ event: 'message' }, { event: 'comment' }),
      max_duration: 604_800,
    },
    strict_deadline: true,
  }
  assert.deepEqual(await readJson(page), contract)
  await button(page, 'Save changes').click()
  await page.getByText('Schema saved').waitFor()
  assert.deepEqual((await sendAs(page, 'GET', `/v1/schemas/${id}`)).body.contract, contract)
  await page.reload()
  assert.deepEqual(await readJson(page), contract)
  assert.equal(await page.getByLabel('Event type').count(), 4)

  await reversal.uncheck()
  await restart.uncheck()
  await strict.uncheck()
  await aggregate.selectOption('An event')
  await button(page, 'Remove at least').click()
  assert.deepEqual(await readJson(page), plain)
  for (let i = 0; i < 5; i++) await button(page, 'Undo').click()
  assert.deepEqual(await readJson(page), contract)
  assert.deepEqual(pageErrors, [])
})

test('errors of optional terms are shown at their fields, also those of JSON', async () => {
  const { page } = await newPage()
  await openSchema(page, contractWith())
  const wrong = contractWith({
    review: {
      reversal_condition: { op: 'NOT', condition: { event: 'a' } },
      restart_on: { event: 'b', aggregate: 'count', gte: 1 },
      max_duration: 1,
    },
  })
  const review = { ...wrong, review_window: 60, strict_deadline: 'yes' }
  await page.getByLabel('Contract as JSON').fill(JSON.stringify(review))
  for (const message of [
    'Must not hold over no event: it would reverse every outcome',
    'Is not allowed here: the condition is judged on one event',
    /^Must be a number of seconds from review_window to/,
    'Must be true or false',
  ]) {
    await page.getByRole('region', { name: 'Optional terms' }).getByText(message).waitFor()
  }
  await editNode(page, 'event b', 'Or another event')
  assert.deepEqual((await readJson(page)).review.restart_on.op, 'OR')
})

test('the live trial shows reversals, restarts and how late an event is (§2.1a)', async () => {
  const { page, pageErrors } = await newPage()
  const review = {
    reversal_condition: { event: 'reopened' },
    restart_on: { event: 'message' },
    max_duration: 7_200,
  }
  const terms = { review_window: 3_600, fulfillment_condition: { event: 'resolved' }, review }
  await openSchema(page, contractWith(terms))
  const timeline = page.getByRole('list', { name: 'Simulated timeline' })
  const entry = (type: string) => timeline.getByRole('listitem').filter({ hasText: type })
  const add = async (type: string, minutes: string) => {
    await button(page, type).click()
    await page.getByLabel('After', { exact: true }).last().fill(minutes)
    await page.getByLabel('After, unit').last().selectOption('minutes')
  }
  await add('resolved', '60')
  await entry('resolved').getByText('refused: CLAIM_NOT_OPEN').waitFor()
  await page.getByLabel('After', { exact: true }).fill('30.5')
  await add('message', '60.5')
  await entry('message').getByText('restarted the review').waitFor()
  await add('reopened', '120.75')
  await entry('reopened').getByText('reversed the outcome').waitFor()
  await entry('reopened').getByText('late by 15 seconds').waitFor()
  await page.getByLabel('Final state').getByText('FAILED').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('events restart and reverse the review on the page of a claim, and each has an id (§2.1a)', async () => {
  const { page, pageErrors } = await newPage()
  const customer_id = await createCustomer(page, 'acme')
  const contract = contractWith({
    review_window: 3_600,
    fulfillment_condition: { event: 'delivered', aggregate: 'count', gte: 2 },
    review: {
      reversal_condition: { event: 'reopened' },
      restart_on: { event: 'message' },
      max_duration: 7_200,
    },
  })
  const { id } = await createAs(page, '/v1/claims', { customer_id, contract })
  await page.goto(`/claims/${id}`)
  const eventId = page.getByLabel('Id', { exact: true })
  const submit = async (type: string, answer: string) => {
    await page.getByLabel('Type').fill(type)
    await button(page, 'Submit event').click()
    await page.getByText(answer).waitFor()
  }
  const first = await eventId.inputValue()
  assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  await submit('delivered', 'Event recorded. The status is still OPEN.')
  assert.notEqual(await eventId.inputValue(), first)
  await submit('delivered', 'Event recorded. The status is now PENDING.')
  await page.getByRole('region', { name: 'Condition' }).getByText('2 of 2').waitFor()
  await button(page, 'message').waitFor()
  await submit('message', 'Event recorded. It restarted the review.')
  await submit('mesage', 'Event recorded. The status is still PENDING.')
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Perhaps "message" is meant.').waitFor()
  await submit('reopened', 'Event recorded. It reversed the outcome: it is now to be FAILED.')
  await page
    .getByText('Events are accepted only while it is OPEN, or in a review of the outcome CONFIRMED.')
    .waitFor()
  const review = page.getByRole('region', { name: 'Review' })
  await review.getByText('Restarted once.').waitFor()
  await review.getByText('Reversed by').waitFor()
  for (const effect of ['restarted the review', 'reversed the outcome'])
    await timeline.getByText(effect).waitFor()
  await page.goto('/activity')
  await page.getByText('Claim outcome reversed').last().waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a late event says how late it was, after its submission and in the timeline (§2.1a rule 3)', async () => {
  const { page } = await newPage()
  const customer_id = await createCustomer(page, 'acme')
  const contract = contractWith({ activity_window: 0.001, strict_deadline: true })
  const { id } = await createAs(page, '/v1/claims', { customer_id, contract })
  await page.goto(`/claims/${id}`)
  await page.getByLabel('Type').fill('done')
  await button(page, 'Submit event').click()
  await page.getByText(/^Event recorded, late by .+ The status is still OPEN\.$/).waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText(/^late by .+, counts for nothing$/).waitFor()
})
