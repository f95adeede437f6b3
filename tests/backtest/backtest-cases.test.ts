import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenCases } from '../../src/backtest/cases/seen-cases.ts'

test('a hundred thousand cases with similar names are distinguished', () => {
  const seen = new SeenCases()
  for (let i = 0; i < 100_000; i++) assert.ok(seen.add(`Case ${i}`))
  for (let i = 0; i < 100_000; i++) assert.ok(!seen.add(`Case ${i}`))
})
