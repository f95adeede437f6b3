import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NIL } from 'uuid'
import {
  findUnusedContracts,
  scanForUses,
  unmarkContracts,
} from '../../src/contracts/unused-contract-store.ts'
import { contractWith } from '../support/contracts.ts'
import { holdContracts } from '../support/held-rows.ts'
import { movedBy } from '../support/moved-times.ts'
import { MOVE_CONTRACTS_BACK_TO_CLAIMS, SKIP_ON_CITUS } from '../support/old-claims.ts'
import { moveContracts, newContract } from '../support/source/claims.ts'
import type { Contract } from '../support/source/contracts.ts'
import { UnusedContracts } from '../support/source/service.ts'
import { startTestService } from '../support/test-service.ts'

/* The contracts of deleted test clocks go, unless a claim is under them: one that was, or one that comes meanwhile. */

const service = await startTestService({ after })
const { app, api, sql } = service
const customer = await api.customer('acme')
const never = () => false

let number = 0
/** One that no claim is under yet. */
const freshContract = () => contractWith({ price: ++number })

async function claimOnClock(contract: Contract): Promise<string> {
  const { id } = (await api.post('/v1/test_clocks', { frozen_time: '2026-01-01T00:00:00Z' })).body
  const claim = { customer_id: customer, contract, test_clock_id: id }
  assert.equal((await api.post('/v1/claims', claim)).status, 201)
  return id
}

/** A contract whose claims, all on one clock, were deleted a day ago. */
async function abandoned(contract = freshContract()) {
  const clock = await claimOnClock(contract)
  assert.equal((await api.delete(`/v1/test_clocks/${clock}`)).status, 204)
  await age('-1 day')
  return contract
}

/** Moves the marks of all. */
const age = (interval: string) => sql(`UPDATE contracts SET ${movedBy(interval, ['unused_since'])}`)

async function isStored(contract: Contract): Promise<boolean> {
  const { hash } = newContract(contract)
  return (await sql("SELECT FROM contracts WHERE hash = decode($1, 'hex')", [hash])).length > 0
}
const marks = async () => (await sql('SELECT FROM contracts WHERE unused_since IS NOT NULL')).length

test('a contract goes a day after its last claim', async () => {
  const contract = freshContract()
  await abandoned(contract)
  await age('1 minute')
  const contracts = new UnusedContracts(app)
  assert.equal(await contracts.removeBatches(never), 0)
  assert.ok(await isStored(contract))
  await age('-1 minute')
  assert.equal(await contracts.removeBatches(never), 1)
  assert.ok(!(await isStored(contract)))
  const { id } = await api.claim(customer, contract)
  assert.deepEqual((await api.readClaim(id)).contract, contract)
})

test('it stays if another claim is under it, live or on another clock', async () => {
  const [live, onClock, alone] = [freshContract(), freshContract(), freshContract()]
  const claim = await api.claim(customer, live)
  await claimOnClock(onClock)
  for (const contract of [live, onClock, alone]) await abandoned(contract)
  assert.equal(await marks(), 3)
  assert.equal(await new UnusedContracts(app).removeBatches(never), 1)
  assert.deepEqual(await Promise.all([live, onClock, alone].map(isStored)), [true, true, false])
  assert.equal(await marks(), 0)
  assert.equal(
    (await api.post('/v1/events', { claim_id: claim.id, type: 'done' })).body.claim.status,
    'PENDING',
  )
})

test('it stays if a claim comes under it while one looks', async () => {
  const contract = await abandoned()
  // Between the looking and the removal.
  const contracts = new UnusedContracts(app)
  assert.equal(await contracts.removeBatches(() => true), 0)
  assert.equal(await marks(), 1)
  const claim = await api.claim(customer, contract)
  assert.equal(await contracts.removeBatches(never), 0)
  assert.deepEqual((await api.readClaim(claim.id)).contract, contract)
  assert.equal(await marks(), 0)
})

test('it goes a day later if its last claim is deleted while one looks', async () => {
  const contract = freshContract()
  const last = await claimOnClock(contract)
  await abandoned(contract)
  const db = app.db.checks
  const unused = await findUnusedContracts(db, 0, 10)
  const { used } = await scanForUses(db, unused, NIL, 10_000)
  assert.equal(used.length, 1)
  assert.equal((await api.delete(`/v1/test_clocks/${last}`)).status, 204)
  await unmarkContracts(db, used)
  assert.equal(await marks(), 1)
  await age('-1 day')
  assert.equal(await new UnusedContracts(app).removeBatches(never), 1)
})

test('a claim that comes at the very moment of the removal has its contract', async () => {
  for (let round = 0; round < 10; round++) {
    const contract = await abandoned()
    const removing = new UnusedContracts(app).removeBatches(never)
    const claims = await Promise.all(Array.from({ length: 4 }, () => api.claim(customer, contract)))
    await removing
    for (const { id } of claims) assert.deepEqual((await api.readClaim(id)).contract, contract)
  }
})

test('a creation that is under way when the contract is removed waits for it, and stores it again', async (t) => {
  const contract = await abandoned()
  const held = await holdContracts(t, service.databaseUrl)
  await held.run('DELETE FROM contracts WHERE unused_since IS NOT NULL', [])
  const creating = api.claim(customer, contract)
  await held.untilStatementsWait()
  await held.release()
  const { id } = await creating
  assert.deepEqual((await api.readClaim(id)).contract, contract)
})

test('it stays if the contract of an older version’s claim is moved to it', SKIP_ON_CITUS, async () => {
  const contract = freshContract()
  const { id } = await api.claim(customer, contract)
  for (const statement of MOVE_CONTRACTS_BACK_TO_CLAIMS) await sql(statement)
  await abandoned(contract)
  const contracts = new UnusedContracts(app)
  await contracts.removeBatches(() => true)
  await moveContracts(app, never)
  assert.equal(await contracts.removeBatches(never), 0)
  assert.deepEqual((await api.readClaim(id)).contract, contract)
})

test('a creation on a test clock waits for who stores the same contract, as a live one does', async (t) => {
  const contract = freshContract()
  const { text, hash } = newContract(contract)
  const held = await holdContracts(t, service.databaseUrl)
  await held.run(
    `INSERT INTO contracts (hash, document, bytes, event_types, review_window, timeout_outcome)
     VALUES (decode($1, 'hex'), $2, $3, '{done}', $4, $5)`,
    [hash, text, text.length, contract.review_window, contract.timeout_outcome],
  )
  const creating = claimOnClock(contract)
  // Once it has given up for the first time, it waits again.
  await held.untilStatementsWait()
  await held.untilNewStatementWaits()
  await held.release()
  await creating
})

test('a creation that is refused stores no contract', async () => {
  const candidate = { candidate_alias: 'taken already', customer_uuid: 'acme', contract: freshContract() }
  assert.equal((await api.post('/v1/candidates', candidate)).status, 201)
  const contract = freshContract()
  assert.equal((await api.post('/v1/candidates', { ...candidate, contract })).status, 409)
  assert.ok(!(await isStored(contract)))
})
