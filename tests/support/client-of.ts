import { ApiClient } from './api-client.ts'
import { Conformance } from './conformance.ts'

/** A client of a server in another process. Responses are checked against the OpenAPI document that the server publishes. */
export async function clientOf({ url, token }: { url: string; token: string | null }): Promise<ApiClient> {
  const document = await (await fetch(`${url}/openapi.json`)).json()
  return new ApiClient(url, token, new Conformance(document))
}
