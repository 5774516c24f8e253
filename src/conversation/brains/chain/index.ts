export { type ChainOptions, createBrainChain } from './chain.ts';
export { hostTimeZone, withMoment } from './moment.ts';
export { createNamedBrains } from './named.ts';
