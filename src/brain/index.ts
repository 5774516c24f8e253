export { type ChainOptions, createBrainChain } from './chain.ts';
export { type ChatEndpointOptions, createChatEndpoint } from './chat-endpoint.ts';
export * from './contract.ts';
export { createLocalModel, type LocalModelOptions } from './local-model/local-model.ts';
export {
  installRuntime,
  modelFileProblem,
  RUNTIME_VERSION,
  runtimeFolder,
  runtimeInstalled,
} from './local-model/runtime.ts';
export { withMoment } from './moment.ts';
export type { Embed } from './responder/meaning.ts';
export { createResponder, type ResponderOptions } from './responder/responder.ts';
