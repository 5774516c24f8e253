export type { Answer, Audience, Parcel, Target } from './contract.ts';
export type { DeliveryRecord } from './deliveries.ts';
export { RETRY_WAITS_MS } from './schedule.ts';
export { type MintedSecret, OVERLAP_MS } from './secrets.ts';
export { type Outgoing, type Outward, send, signedRequest } from './send.ts';
export { signatureOf } from './signature.ts';
export { type WebhookEvent, Webhooks, type WebhooksOptions } from './webhooks.ts';
