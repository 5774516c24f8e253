/** Rows of the tables that the webhooks room owns. */
export type WebhooksTables = Record<never, never>;
