import { randomUUID } from 'node:crypto'
import { creationJson } from './creations.ts'
import type { CreateRequests, Phase, PostRequests, ReadRequests, SubmitRequests } from './plan.ts'
import { submissionJson } from './submissions.ts'

/** Renders the requests of a phase as Latin-1 text and evaluates their responses. */
export interface Requests {
  render: (number: number) => string
  /** Whether `accepted` needs the body. */
  readsBody: boolean
  /** The number of accepted events, creations or reads of a request. `wanted` if all were accepted. */
  accepted: (status: number, body: string) => number
  wanted: number
}

export function requestsOf(plan: Phase['requests'], url: string, token: string): Requests {
  const headers = `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\n`
  if (plan.kind === 'read') return reads(plan, headers)
  if (plan.kind === 'post') return posts(plan, headers)
  if (plan.kind === 'create') return creations(plan, headers)
  return plan.batch > 1 ? batches(plan, headers) : singles(plan, headers)
}

function reads({ paths }: ReadRequests, headers: string): Requests {
  const rendered = paths.map((path) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`)
  return {
    render: (number) => rendered[number % rendered.length] as string,
    readsBody: false,
    accepted: (status) => Number(status === 200),
    wanted: 1,
  }
}

function post(path: string, headers: string): (body: string) => string {
  const head = `POST ${path} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: `
  return (body) => `${head}${body.length}\r\n\r\n${body}`
}

function posts({ path, body }: PostRequests, headers: string): Requests {
  const rendered = post(path, headers)(body)
  return {
    render: () => rendered,
    readsBody: false,
    accepted: (status) => Number(status === 204),
    wanted: 1,
  }
}

function singles({ pick, first }: SubmitRequests, headers: string): Requests {
  const render = post('/v1/events', headers)
  return {
    render: (number) => render(submissionJson(pick, first + number)),
    readsBody: false,
    accepted: (status) => Number(status === 201),
    wanted: 1,
  }
}

function creations({ customers, source, keyed }: CreateRequests, headers: string): Requests {
  const render = post('/v1/claims', headers)
  // Unique to this run.
  const prefix = `Idempotency-Key: ${randomUUID()}-`
  const renderWith = (number: number) => post('/v1/claims', `${headers}${prefix}${number}\r\n`)
  return {
    render: (number) => (keyed ? renderWith(number) : render)(creationJson(customers, source, number)),
    readsBody: false,
    accepted: (status) => Number(status === 201),
    wanted: 1,
  }
}

function batches({ pick, batch, first }: SubmitRequests, headers: string): Requests {
  const render = post('/v1/events/batch', headers)
  return {
    render: (number) => {
      let body = '{"events":['
      for (let i = 0; i < batch; i++)
        body += (i === 0 ? '' : ',') + submissionJson(pick, first + number * batch + i)
      return render(`${body}]}`)
    },
    readsBody: true,
    accepted: (status, body) => (status === 200 ? countOf('"status":201', body) : 0),
    wanted: batch,
  }
}

function countOf(part: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}
