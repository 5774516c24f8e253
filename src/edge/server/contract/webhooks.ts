import type { WebhookEventType } from '../surface.ts';

type Json = Record<string, unknown>;

const SIGNATURE =
  '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed by your signing secret';

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

export const describeWebhooks = (events: readonly WebhookEventType[]): Json =>
  Object.fromEntries(events.map((event) => [event.type, { post: describeWebhook(event) }]));

const describeWebhook = ({ type, description, schema, sample }: WebhookEventType): Json => ({
  operationId: `webhook_${type.replace(/[^A-Za-z0-9]+/g, '_')}`,
  tags: ['Webhooks'],
  summary: description,
  parameters: [
    header('X-Svc-Event-Id', 'The event’s `id`; the same on every attempt'),
    header('X-Svc-Signature', SIGNATURE),
    header('webhook-id', 'Standard Webhooks: the event’s `id`'),
    header('webhook-timestamp', 'Standard Webhooks: Unix seconds'),
    header('webhook-signature', 'Standard Webhooks: `v1,<base64>`, one for each secret that is valid'),
  ],
  requestBody: { required: true, content: { 'application/json': { schema, example: sample } } },
  responses: { '2XX': { description: 'Stored; of the answer only the status counts' } },
});
