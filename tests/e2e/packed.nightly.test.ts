import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installPackage, serveInstalled } from '../support/packed-service.ts'

const MAX_BYTES = 20_000_000
const MAX_FILES = 500

test('the npm package, installed in an empty folder', async (t) => {
  const installed = await installPackage()
  const service = await serveInstalled(t, installed.folder)
  const answerOf = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(service.url + path, init)
    return { status: answer.status, text: await answer.text() }
  }

  await t.test('takes less than 20 MB and 500 files beside PostgreSQL', () => {
    const { bytes, files } = installed.besidePostgres
    assert.ok(bytes < MAX_BYTES, `it is ${bytes} bytes`)
    assert.ok(files < MAX_FILES, `it is ${files} files`)
  })

  await t.test(
    'serves: a claim is made, and the dashboard, the reference and the specification answer',
    async () => {
      const post = async (path: string, body: object) => {
        const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
        const { status, text } = await answerOf(path, { method: 'POST', headers, body: JSON.stringify(body) })
        assert.equal(status, 201, text)
        return JSON.parse(text)
      }
      const customer = await post('/v1/customers', { external_id: 'acme' })
      const claim = await post('/v1/claims', {
        customer_id: customer.id,
        contract: {
          price: 5,
          activity_window: 60,
          review_window: 0,
          timeout_outcome: 'fail',
          fulfillment_condition: { event: 'delivered' },
        },
      })
      assert.equal(claim.status, 'OPEN')
      for (const [path, expected] of [
        ['/', /<script[^>]+src="\/assets\//],
        ['/docs/', /Claimkeeper API/],
        ['/docs/js/scalar.js', /./],
        ['/docs/specification', /scheduled check/i],
        ['/docs/errors', /CLAIM_NOT_OPEN/],
        ['/openapi.json', /"openapi":"3\.1/],
      ] as const) {
        const { status, text } = await answerOf(path)
        assert.equal(status, 200, path)
        assert.match(text, expected, path)
      }
    },
  )
})
