export { type ChainOptions, createBrainChain } from './chain.ts';
export { hostTimeZone, withCurrentTime } from './current-time.ts';
export { createNamedBrains } from './named.ts';
