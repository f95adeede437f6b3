import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { DeliveryStatus } from '../../../src/core/webhooks.ts'
import { get, patch, post, remove, type Tagged } from '../api/client.ts'
import { POLL_MS } from '../api/query-client.ts'
import type { Page, WebhookDelivery, WebhookEndpoint } from '../api/records.ts'

/** Refetch interval of a delivery that waits to be sent. */
const WAITING_POLL_MS = 1_000

export const endpointsQuery = queryOptions({
  queryKey: ['webhooks', 'endpoints', 'list'],
  queryFn: ({ signal }) =>
    get<{ data: WebhookEndpoint[] }>('/v1/webhook_endpoints', {}, signal).then(({ data }) => data),
})

const pathOf = (id: string) => `/v1/webhook_endpoints/${encodeURIComponent(id)}`

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'endpoints', 'one', id],
    queryFn: ({ signal }) => readEndpoint(id, signal),
    refetchInterval: POLL_MS,
  })

export const readEndpoint = (id: string, signal?: AbortSignal): Promise<Tagged<WebhookEndpoint>> =>
  get(pathOf(id), {}, signal)

export type EndpointSettings = Pick<WebhookEndpoint, 'url' | 'types' | 'customer_id' | 'description'>

/** `secret` is only in this response. */
export const createEndpoint = (settings: EndpointSettings): Promise<WebhookEndpoint & { secret: string }> =>
  post('/v1/webhook_endpoints', settings)

/** Fails with 412 if the endpoint has changed since `base` was read. */
export const changeEndpoint = (
  base: Tagged<WebhookEndpoint>,
  settings: EndpointSettings,
): Promise<Tagged<WebhookEndpoint>> => patch(pathOf(base.id), settings, base)

/** Enables or disables. Fails with 412 if the endpoint has changed since `base` was read. */
export const switchEndpoint = (
  base: Tagged<WebhookEndpoint>,
  enabled: boolean,
): Promise<Tagged<WebhookEndpoint>> => patch(pathOf(base.id), { enabled }, base)

/** Fails with 412 if the endpoint has changed since `base` was read. */
export const deleteEndpoint = (base: Tagged<WebhookEndpoint>): Promise<void> => remove(pathOf(base.id), base)

export type RotatedEndpoint = WebhookEndpoint & { secret: string; old_secret_until: string }

export const rotateSecret = (id: string): Promise<RotatedEndpoint> => post(`${pathOf(id)}/rotate_secret`)

export const testEndpoint = (id: string): Promise<WebhookDelivery> => post(`${pathOf(id)}/test`)

export const redeliverRange = (
  id: string,
  range: { from: string; to: string; status?: DeliveryStatus },
): Promise<{ redelivered: number }> => post(`${pathOf(id)}/redeliver`, range)

/** Deliveries of an endpoint, a claim or a candidate. */
export interface DeliveriesQuery {
  endpoint_id?: string
  claim_id?: string
  candidate_alias?: string
  status?: DeliveryStatus | undefined
  after?: string | undefined
  limit?: number
}

/** Newest first per endpoint. Deliveries of several endpoints are grouped by endpoint. */
export const deliveriesQuery = (query: DeliveriesQuery) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', 'list', query],
    queryFn: ({ signal }) =>
      get<Page<WebhookDelivery>>('/v1/webhook_deliveries', { limit: 50, ...query, order: 'desc' }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })

const deliveryPathOf = (id: string) => `/v1/webhook_deliveries/${encodeURIComponent(id)}`

/** With the body exactly as it is sent. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', 'one', id],
    queryFn: ({ signal }) => get<WebhookDelivery & { body: string }>(deliveryPathOf(id), {}, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'waiting' ? WAITING_POLL_MS : POLL_MS),
  })

export const redeliver = (id: string): Promise<WebhookDelivery> => post(`${deliveryPathOf(id)}/redeliver`)
