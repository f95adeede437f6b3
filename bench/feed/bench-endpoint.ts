import type { Bench } from '../bench.ts'

export interface BenchEndpoint {
  id: string
  enable: () => Promise<void>
  remove: () => Promise<void>
}

/** A webhook endpoint of the main server's account. */
export async function addEndpoint(bench: Bench, url: string, enabled: boolean): Promise<BenchEndpoint> {
  const { id } = await ask(bench, 'POST', '/v1/webhook_endpoints', { url, enabled })
  const path = `/v1/webhook_endpoints/${id}`
  return {
    id: id as string,
    enable: async () => void (await ask(bench, 'PATCH', path, { enabled: true })),
    remove: async () => void (await ask(bench, 'DELETE', path)),
  }
}

/** The body of the endpoint's first delivery, as it was sent. */
export async function bodyOfFirst(bench: Bench, { id }: BenchEndpoint): Promise<string> {
  return (await ask(bench, 'GET', `/v1/webhook_deliveries/${id}.1`)).body as string
}

async function ask(
  bench: Bench,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const { server, database } = await bench.main()
  const response = await fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${database.token}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} got status ${response.status}: ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
