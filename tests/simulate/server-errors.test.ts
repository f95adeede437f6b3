import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMissingContract, isServerError } from '../../simulate/testbed/server-errors.ts'
import { contractIsMissing } from '../support/source/claims.ts'

const line = (level: number, err: object) => JSON.stringify({ level, err, msg: 'a message' })

test('errors in the log and output that is not JSON are server errors', () => {
  assert.ok(isServerError(line(50, { type: 'TypeError', message: 'x is undefined' })))
  assert.ok(isServerError(line(60, { type: 'Error', message: 'uncaught' })))
  assert.ok(isServerError('FATAL ERROR: Reached heap limit'))
})

test('errors of injected faults and warnings are not server errors', () => {
  assert.ok(!isServerError(line(40, { type: 'Error', message: 'connect ECONNREFUSED' })))
  assert.ok(
    !isServerError(line(50, { type: 'DatabaseUnavailable', message: 'The database cannot be reached.' })),
  )
  assert.ok(
    !isServerError(line(50, { type: 'DatabaseOverloaded', message: 'No connection was free in time.' })),
  )
  assert.ok(!isServerError(line(50, { type: 'DatabaseError', message: 'a fault of the simulator' })))
  assert.ok(!isServerError('(node:12) DeprecationWarning: Calling something is deprecated'))
  assert.ok(!isServerError('claimkeeper: The database cannot be reached.'))
})

test('a missing contract is recognized by the message of the service', () => {
  const { message } = contractIsMissing()
  assert.ok(isMissingContract(line(50, { type: 'ServiceError', message })))
  assert.ok(!isMissingContract(line(50, { type: 'ServiceError', message: 'another' })))
})
