import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isComplaint } from '../../simulate/stage/complaints.ts'

const line = (level: number, err: object) => JSON.stringify({ level, err, msg: 'what it was about' })

test('an error of the service is a complaint, and so is what is no line of its log', () => {
  assert.ok(isComplaint(line(50, { type: 'TypeError', message: 'x is undefined' })))
  assert.ok(isComplaint(line(60, { type: 'Error', message: 'uncaught' })))
  assert.ok(isComplaint('FATAL ERROR: Reached heap limit'))
})

test('what a fault brings with it is none: a database that is away, and errors that we raise', () => {
  assert.ok(!isComplaint(line(40, { type: 'Error', message: 'connect ECONNREFUSED' })))
  assert.ok(
    !isComplaint(line(50, { type: 'DatabaseUnavailable', message: 'The database cannot be reached.' })),
  )
  assert.ok(
    !isComplaint(line(50, { type: 'DatabaseOverloaded', message: 'No connection was free in time.' })),
  )
  assert.ok(!isComplaint(line(50, { type: 'DatabaseError', message: 'a fault of the simulator' })))
  assert.ok(!isComplaint('(node:12) DeprecationWarning: Calling something is deprecated'))
  assert.ok(!isComplaint('claimkeeper: The database cannot be reached.'))
})
