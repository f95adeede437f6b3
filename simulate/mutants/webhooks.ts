import { edit, editWithin, type Mutant } from './mutant.ts'

/** Webhook deliveries. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'a delivery is recorded as succeeded before it is sent',
    edits: [
      edit(
        `const result = await client.send(
      url,
      span ? { ...headers, traceparent: span.traceparent } : headers,
      due.body,
    )
`,
        `const made = { durationMs: 0, status: 200, answer: '', error: null, retryAfterMs: 0 }
    this.#note({ due, url, startedAt, result: made })
    await client.send(url, headers, due.body)
    const result = null
`,
      ),
    ],
  },
  {
    name: 'two servers send to one endpoint at the same time',
    edits: [edit('sender IS NULL OR sender = $1 OR NOT', '$1::uuid IS NOT NULL OR NOT')],
  },
  {
    name: 'two deliveries have the same number',
    edits: [
      edit(
        'WHERE id = $1 AND last_number = $2 AND told_up_to = $3 AND',
        'WHERE id = $1 AND $2::bigint >= 0 AND $3::bigint >= 0 AND',
      ),
    ],
  },
  {
    name: 'a notification is skipped when deliveries are created',
    edits: [edit('SET told_up_to = $4,', 'SET told_up_to = $4::bigint + 1,')],
  },
  {
    name: 'a delivery contains the hash of a delivery other than the previous',
    edits: [edit('made.at(-1)?.hash ??', 'made[0]?.hash ??')],
  },
  {
    name: 'a delivery fails after its first attempt',
    edits: [
      edit('if (delay === undefined) return null', 'if (delay === undefined || tries > 0) return null'),
    ],
  },
  {
    name: 'an error response to a delivery counts as success',
    edits: [editWithin('outcomeOfStatus', 'status >= 200 && status < 300', 'status >= 200 && status < 600')],
  },
]
