import type { Conformance } from './conformance.ts'
import type { JsonObject } from './source/json.ts'

export interface Answer {
  status: number
  headers: Headers
  // Tests read any field of a response. A missing field fails the assertion of the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

/** An HTTP client of one account. */
export class ApiClient {
  readonly url: string
  readonly token: string | null
  readonly #conformance: Conformance
  readonly #headers: Record<string, string>

  /** @param headers sent with each request, besides the token */
  constructor(
    url: string,
    token: string | null,
    conformance: Conformance,
    headers: Record<string, string> = {},
  ) {
    this.url = url
    this.token = token
    this.#conformance = conformance
    this.#headers = headers
  }

  /** The same client with further headers, such as a session's cookie. */
  with(headers: Record<string, string>): ApiClient {
    return new ApiClient(this.url, this.token, this.#conformance, { ...this.#headers, ...headers })
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers })
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('PATCH', path, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers })
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers)
  }

  /** Sends exactly these bytes. */
  async send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const authorization = this.token === null ? {} : { Authorization: `Bearer ${this.token}` }
    const response = await fetch(this.url + path, {
      method,
      headers: { ...authorization, ...this.#headers, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text || undefined,
    }
    this.#conformance.check(method, path, answer.status, answer.body)
    return answer
  }

  /** Creates a customer. Returns its id. */
  async customer(externalId: string): Promise<string> {
    return created(await this.post('/v1/customers', { external_id: externalId })).id
  }

  /** Creates a claim with the contract. */
  async claim(customerId: string, contract: JsonObject): Promise<Answer['body']> {
    return created(await this.post('/v1/claims', { customer_id: customerId, contract }))
  }

  async readClaim(id: string): Promise<Answer['body']> {
    return (await this.get(`/v1/claims/${id}`)).body
  }

  /** The ids of the events of a claim, in the order of its log. */
  async eventIds(claimId: string): Promise<string[]> {
    return (await this.readClaim(claimId)).events.map(({ id }: { id: string }) => id)
  }
}

function created({ status, body }: Answer): Answer['body'] {
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${JSON.stringify(body)}`)
  return body
}
