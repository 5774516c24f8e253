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
    header('X-Svc-Event-Id', 'The event’s `id`; it is the same for every attempt.'),
    header('X-Svc-Signature', SIGNATURE),
    header('webhook-id', 'The event’s `id`, as Standard Webhooks names it.'),
    header('webhook-timestamp', 'The Unix time in seconds, as Standard Webhooks names it.'),
    header(
      'webhook-signature',
      'The signatures of Standard Webhooks: `v1,<base64>`, one for each valid secret.',
    ),
  ],
  requestBody: { required: true, content: { 'application/json': { schema, example: sample } } },
  responses: {
    '2XX': { description: 'The receiver stored the event. Only the status of the response is evaluated.' },
  },
});
