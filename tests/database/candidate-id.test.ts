import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidateId } from '../support/source/claims.ts'

test('a candidate’s id is a UUID of version 8 that only its alias decides', () => {
  const id = candidateId('order-2026-000417')
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(candidateId('order-2026-000417'), id)
  assert.notEqual(candidateId('Order-2026-000417'), id)
  // Stored rows depend on it: it must never change.
  assert.equal(id, '461b3ffa-5159-8fbc-92ae-40316f966efe')
})
