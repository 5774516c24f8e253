export { type AddedBrain, AddedBrainError, AddedBrains, brainNameOf } from './added-brains.ts';
export { GgufError, type GgufMetadata, readGguf } from './gguf.ts';
export {
  createLocalModel,
  type LocalModel,
  type LocalModelOptions,
} from './local-model.ts';
export type { LocalModelFacts } from './protocol.ts';
export {
  installRuntime,
  modelFileProblem,
  RUNTIME_VERSION,
  runtimeFolder,
  runtimeInstalled,
} from './runtime.ts';
