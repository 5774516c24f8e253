import type { Environment } from '../../tenancy/index.ts';

export interface WebhookSecretRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  secret: string;
  created_at: number;
  /** It also signs until then, so that receivers can change over. */
  previous_secret: string | null;
  previous_until: number | null;
}

export interface WebhookEventRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  type: string;
  body: string;
  /** It is the id of the record that the event is about; null where it holds no personal data. */
  resource: string | null;
  idempotency_key: string | null;
  created_at: number;
}

export interface WebhookDeliveryRow {
  id: string;
  event_id: string;
  destination_id: string | null;
  org_id: string;
  project_id: string;
  environment: Environment;
  url: string;
  status: 'pending' | 'delivered' | 'dead';
  attempts: number;
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  response_status: number | null;
  error: string | null;
  created_at: number;
  delivered_at: number | null;
}

export interface WebhooksTables {
  webhook_secrets: WebhookSecretRow;
  webhook_events: WebhookEventRow;
  webhook_deliveries: WebhookDeliveryRow;
}
