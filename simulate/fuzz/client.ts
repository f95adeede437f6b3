import { setTimeout as pause } from 'node:timers/promises'
import type { Operation } from './api-document.ts'
import type { FuzzContext } from './context.ts'
import { Finding } from './finding.ts'
import { NoResponse } from './http-client.ts'
import { addIdsFromResponse, kindOfPath } from './known-ids.ts'
import { makeRequest } from './make-request.ts'
import type { HttpResponse, Request } from './request.ts'
import { type VerifiedResponse, verifyResponse } from './verify-response.ts'

/** Relative frequencies of operations. Default: 1. */
const WEIGHTS: Record<string, number> = {
  createCustomer: 3,
  createClaim: 4,
  createCandidate: 4,
  submitEvent: 8,
  submitClaimEvent: 6,
  submitCandidateEvent: 6,
  submitEvents: 6,
  createTestClock: 2,
  advanceTestClock: 2,
  createOwnToken: 0.3,
  createInvitation: 0.3,
  exportClaims: 0.3,
  exportCandidates: 0.3,
  getHealth: 0.1,
  getReadiness: 0.1,
}
/** The server may refuse a larger body before it has read it, and close the connection. */
const LARGE_BODY = 64 * 1024
const MAX_TRIES = 20
const RETRY_DELAY_MS = 1_000

/** One client. Its requests depend only on its random numbers and its responses, not on other clients. */
export class Client {
  readonly #context: FuzzContext
  readonly #choices: Operation[]

  constructor(context: FuzzContext) {
    this.#context = context
    this.#choices = context.document.operations.flatMap((operation) =>
      Array.from({ length: Math.ceil((WEIGHTS[operation.id] ?? 1) * 10) }, () => operation),
    )
  }

  /** Sends a request of a random operation. */
  async step(): Promise<void> {
    const { random } = this.#context
    const operation = random.pick(this.#choices)
    await this.send(makeRequest(this.#context, operation))
  }

  /** Retries while the server is unavailable. */
  async sendWithRetries(request: Request): Promise<void> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const verified = await this.send(request)
      if (verified?.code !== 'UNAVAILABLE') return
      await pause(RETRY_DELAY_MS)
    }
  }

  /** Null without a response. */
  async send(request: Request): Promise<VerifiedResponse | null> {
    const { stats, onFinding } = this.#context
    const response = await this.#respond(request)
    if (response === null) return null
    const answered = `${response.status} ${response.text.slice(0, 1_000)}`
    try {
      const verified = this.#verifyResponse(request, response)
      stats.count(verified, response.status)
      if (verified.violation !== null) onFinding(new Finding(`${verified.violation}\n${answered}`, request))
      this.#addIdsFromResponse(request, response, verified)
      return verified
    } catch (error) {
      // The verification throws only if the response is not as documented.
      onFinding(new Finding(`the verification failed: ${error}\n${answered}`, request))
      return null
    }
  }

  #addIdsFromResponse(request: Request, response: HttpResponse, { operation, body }: VerifiedResponse): void {
    if (response.status >= 300 || !operation) return
    const { known } = this.#context.account
    if (operation.method === 'DELETE') known.forget(kindOfPath(operation.path), lastSegment(request.path))
    else addIdsFromResponse(known, operation.path, body)
  }

  /** Null if a large body was refused. */
  async #respond(request: Request): Promise<HttpResponse | null> {
    try {
      return await this.#context.http.send(request)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      if ((request.body?.length ?? 0) > LARGE_BODY) return null
      this.#context.onFinding(new Finding(`no response: ${error.message}`, request))
      return null
    }
  }

  #verifyResponse(request: Request, response: HttpResponse): VerifiedResponse {
    const { document, account, otherAccount } = this.#context
    return verifyResponse(document, request, response, { account, otherAccount })
  }
}

const lastSegment = (path: string): string => path.split('?', 1)[0]?.split('/').at(-1) ?? ''
