export { createLocalModel, type LocalModelOptions } from './local-model.ts';
export {
  installRuntime,
  modelFileProblem,
  RUNTIME_VERSION,
  runtimeFolder,
  runtimeInstalled,
} from './runtime.ts';
