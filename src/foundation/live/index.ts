export type { LiveEvent, LiveEventType } from './contract.ts';
export { LIVE_EVENT_TYPES } from './contract.ts';
export { LiveCalls } from './live-calls.ts';
export { LiveFeed } from './live-feed.ts';
