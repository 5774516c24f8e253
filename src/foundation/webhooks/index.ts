export type { DeliveryResult, DeliveryTarget, EventDestinations, OutboundEvent } from './contract.ts';
export type { DeliveryRecord } from './deliveries.ts';
export type { FailingEndpoint } from './failing-endpoint-report.ts';
export { RETRY_WAITS_MS } from './retry-schedule.ts';
export { type MintedSecret, OVERLAP_MS } from './secrets.ts';
export { type OutboundFetch, type OutboundRequest, sendRequest, signedRequest } from './send-request.ts';
export { isSigningSecret, webhookSignature } from './signature.ts';
export { type WebhookEvent, Webhooks, type WebhooksOptions } from './webhooks.ts';
