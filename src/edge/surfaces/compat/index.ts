import type { Surface } from '../../server/surface.ts';
import { createDeepgramSpeakSurface, createDeepgramSurface, type DeepgramDeps } from './deepgram/index.ts';
import type { DeepgramSpeakDeps } from './deepgram/speak-routes.ts';
import { createElevenLabsSurface, type ElevenLabsDeps } from './elevenlabs/index.ts';
import { createOpenAiSurface, type OpenAiDeps } from './openai/index.ts';

export type CompatDeps = DeepgramDeps & DeepgramSpeakDeps & ElevenLabsDeps & OpenAiDeps;

export const createCompatSurfaces = (deps: CompatDeps): Surface[] => [
  createDeepgramSurface(deps),
  createDeepgramSpeakSurface(deps),
  createElevenLabsSurface(deps),
  createOpenAiSurface(deps),
];
