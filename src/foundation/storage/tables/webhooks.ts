import type { Environment } from '../../tenancy/index.ts';

/** This secret signs an organization's webhooks. */
export interface WebhookSecretRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  secret: string;
  created_at: number;
  /** Signs too, until then, so that a receiver can change over. */
  previous_secret: string | null;
  previous_until: number | null;
}

/** Something that happened, exactly as it is told. */
export interface WebhookEventRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  type: string;
  /** The request body, byte for byte. */
  body: string;
  /** The id of what it tells of; null: nothing that is a person's. */
  resource: string | null;
  idempotency_key: string | null;
  created_at: number;
}

/** One event on its way to one receiver. */
export interface WebhookDeliveryRow {
  id: string;
  event_id: string;
  /** A receiver that the event itself named has null. */
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

/** Rows of the tables that the webhooks module owns. */
export interface WebhooksTables {
  webhook_secrets: WebhookSecretRow;
  webhook_events: WebhookEventRow;
  webhook_deliveries: WebhookDeliveryRow;
}
