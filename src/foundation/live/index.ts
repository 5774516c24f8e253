export type { LiveEvent, LiveType } from './contract.ts';
export { LIVE_TYPES } from './contract.ts';
export { LiveCalls } from './live-calls.ts';
export { LiveFeed } from './live-feed.ts';
