import assert from 'node:assert/strict'
import { presentNotification, type WebhookOptions, WebhookSender } from './source/webhooks.ts'
import type { Scope } from './test-database.ts'
import { startTestService, type TestService, type TestServiceOptions } from './test-service.ts'

export type SenderOptions = Partial<Omit<WebhookOptions, 'app' | 'present'>>

/** Sends webhooks of this service's database, as a server does. */
async function startSender(
  t: Scope,
  { app }: Pick<TestService, 'app'>,
  options: SenderOptions = {},
): Promise<WebhookSender> {
  const sender = new WebhookSender({
    app,
    present: (notification) => presentNotification(notification).text,
    delaysMs: [50, 50, 50, 50, 50, 50, 50, 50, 50],
    allowPrivate: true,
    onDisabled: () => {},
    onError: (error) => assert.fail(error as Error),
    ...options,
  })
  await sender.start()
  t.after(() => sender.stop())
  return sender
}

/** A service that sends webhooks, also to this machine. */
export async function startWebhookService(
  t: Scope,
  options: SenderOptions & TestServiceOptions = {},
): Promise<TestService & { sender: WebhookSender }> {
  // The sender stops before the service.
  const started: WebhookSender[] = []
  t.after(async () => {
    for (const one of started) await one.stop()
  })
  const service = await startTestService(t, { allowPrivateWebhooks: true, ...options })
  const sender = await startSender(t, service, options)
  started.push(sender)
  return { ...service, sender }
}
