import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { calendarWith, someCalendar } from '../support/calendars.ts'
import { sharedService } from '../support/shared.ts'
import { validateCalendar } from '../support/source/calendars.ts'

const service = await sharedService()
const { body: document } = await service.clientWith(null).get('/openapi.json')
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'openapi')
const published = ajv.compile({
  type: 'object',
  properties: {
    weekly: { $ref: 'openapi#/components/schemas/WeeklyHours' },
    holidays: { $ref: 'openapi#/components/schemas/Holidays' },
    exceptions: { $ref: 'openapi#/components/schemas/ExceptionalHours' },
  },
})

test('the published schema of a calendar accepts every valid one', () => {
  const calendar = someCalendar('Europe/Berlin', Date.UTC(2026))
  fc.assert(
    fc.property(calendar, (calendar) => assert.ok(published(calendar), JSON.stringify(published.errors))),
  )
})

test('what the published schema of a calendar refuses, the service refuses', () => {
  const wrong: object[] = [
    { weekly: { monday: [['9:00', '17:00']], friday: [['09:00', '17:00']] } },
    { weekly: { monday: [['09:00', '24:30']], friday: [['09:00', '17:00']] } },
    { weekly: { monday: [['09:00']], friday: [['09:00', '17:00']] } },
    { weekly: { Monday: [['09:00', '17:00']], friday: [['09:00', '17:00']] } },
    { weekly: { monday: Array(25).fill(['09:00', '17:00']) } },
    { holidays: ['2026-1-1'] },
    { holidays: ['1969-12-31'] },
    { holidays: Array(1_001).fill('2026-01-01') },
    { exceptions: { today: [] } },
    { exceptions: { '2026-12-24': [['09:00', '25:00']] } },
  ]
  for (const change of wrong) {
    const calendar = { ...calendarWith(), ...change }
    assert.equal(published(calendar), false, JSON.stringify(change))
    assert.notDeepEqual(validateCalendar(calendar), [], JSON.stringify(change))
  }
})
