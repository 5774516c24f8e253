export { type ChainOptions, createBrainChain } from './chain.ts';
export { type ChatEndpointOptions, createChatEndpoint } from './chat-endpoint.ts';
export * from './contract.ts';
export { createResponder, type ResponderOptions } from './responder/responder.ts';
export type { Embed } from './responder/search.ts';
