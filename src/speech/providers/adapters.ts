import { deepgramRecognition } from './deepgram-recognition.ts';
import { deepgramSpeech } from './deepgram-speech.ts';
import { elevenLabsRecognition } from './elevenlabs-recognition.ts';
import { elevenLabsSpeech } from './elevenlabs-speech.ts';
import { openAiRecognition } from './openai-recognition.ts';
import { openAiSpeech } from './openai-speech.ts';

/** The protocols, by the name that settings and routes give them. */
export const VOICE_ADAPTERS = {
  openai: openAiSpeech,
  elevenlabs: elevenLabsSpeech,
  deepgram: deepgramSpeech,
} as const;
export type VoiceProviderKind = keyof typeof VOICE_ADAPTERS;

export const RECOGNITION_ADAPTERS = {
  openai: openAiRecognition,
  deepgram: deepgramRecognition,
  elevenlabs: elevenLabsRecognition,
} as const;
export type RecognitionProviderKind = keyof typeof RECOGNITION_ADAPTERS;

export const VOICE_KINDS = Object.keys(VOICE_ADAPTERS) as VoiceProviderKind[];
export const RECOGNITION_KINDS = Object.keys(RECOGNITION_ADAPTERS) as RecognitionProviderKind[];
