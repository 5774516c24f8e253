import {
  NoSuchModelError,
  type ProviderV2,
  type SpeechModelV2,
  type TranscriptionModelV2,
} from '@ai-sdk/provider';
import type { Server } from './server.js';
import { speechModel } from './speech.js';
import { transcriptionModel } from './transcription.js';

export interface TrunklineProviderSettings {
  /** Where the server is: `https://voice.example.com`. `TRUNKLINE_URL` of the environment without it. */
  readonly baseURL?: string;
  /** `TRUNKLINE_KEY` of the environment without it. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

export interface TrunklineProvider extends ProviderV2 {
  speech(modelId?: string): SpeechModelV2;
  transcription(modelId?: string): TranscriptionModelV2;
  speechModel(modelId: string): SpeechModelV2;
  transcriptionModel(modelId: string): TranscriptionModelV2;
}

type ModelType = ConstructorParameters<typeof NoSuchModelError>[0]['modelType'];

const refuse =
  (modelType: ModelType) =>
  (modelId: string): never => {
    throw new NoSuchModelError({ modelId, modelType });
  };

export function createTrunkline(settings: TrunklineProviderSettings = {}): TrunklineProvider {
  const environment = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env;
  const setting = (value: string | undefined, option: string, name: string): string => {
    const found = value ?? environment?.[name];
    if (found) return found;
    throw new Error(`createTrunkline needs ${option}, or ${name} in the environment`);
  };
  // The settings are read with the first request, so that a provider can be made where there are none.
  const server: Server = {
    baseURL: () => setting(settings.baseURL, 'baseURL', 'TRUNKLINE_URL').replace(/\/+$/, ''),
    headers: () => ({
      authorization: `Bearer ${setting(settings.apiKey, 'apiKey', 'TRUNKLINE_KEY')}`,
      ...settings.headers,
    }),
    fetch: settings.fetch ?? fetch,
  };
  const speech = (modelId = 'svc-speak'): SpeechModelV2 => speechModel(server, modelId);
  const transcription = (modelId = 'svc-hear'): TranscriptionModelV2 => transcriptionModel(server, modelId);
  return {
    speech,
    transcription,
    speechModel: speech,
    transcriptionModel: transcription,
    languageModel: refuse('languageModel'),
    textEmbeddingModel: refuse('textEmbeddingModel' as ModelType),
    imageModel: refuse('imageModel'),
  };
}
