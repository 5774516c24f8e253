import type { TranscriptionModelV2 } from '@ai-sdk/provider';
import { headersOf, post, type Server } from './server.js';
import { servedBy } from './speech.js';

export interface TrunklineTranscriptionOptions {
  /** `en`, `es`, `fr`, `de`, `hi`, `it`, `pt` or `nl`; found by ear without it. */
  readonly language?: string;
  /** What the segments of the result are; `segment` without it. */
  readonly timestamps?: 'segment' | 'word';
  readonly seed?: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Transcript {
  readonly text: string;
  readonly duration: number;
  readonly segments?: readonly (Span & { readonly text: string })[];
  readonly words?: readonly (Span & { readonly word: string })[];
}

const bytesOf = (audio: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  typeof audio === 'string'
    ? Uint8Array.from(atob(audio), (character) => character.charCodeAt(0))
    : new Uint8Array(audio);

export const transcriptionModel = (server: Server, modelId: string): TranscriptionModelV2 => ({
  specificationVersion: 'v2',
  provider: 'trunkline.transcription',
  modelId,
  async doGenerate({ audio, mediaType, providerOptions, headers, abortSignal }) {
    const wishes = (providerOptions?.trunkline ?? {}) as TrunklineTranscriptionOptions;
    const { language, timestamps = 'segment', seed } = wishes;
    const body = new FormData();
    body.append('file', new Blob([bytesOf(audio)], { type: mediaType }), 'audio');
    body.append('model', modelId);
    body.append('response_format', 'verbose_json');
    body.append('timestamp_granularities', timestamps);
    if (language !== undefined) body.append('language', language);
    if (seed !== undefined) body.append('seed', String(seed));
    const timestamp = new Date();
    const response = await post(server, '/v1/audio/transcriptions', {
      body,
      values: { model: modelId, mediaType, ...wishes },
      headers,
      signal: abortSignal,
    });
    const transcript = (await response.json()) as Transcript;
    return {
      text: transcript.text,
      segments: segmentsOf(transcript),
      language,
      durationInSeconds: transcript.duration,
      warnings: [],
      response: {
        timestamp,
        modelId: servedBy(response, modelId),
        headers: headersOf(response),
        body: transcript,
      },
    };
  },
});

const segmentsOf = ({ segments = [], words }: Transcript) =>
  (words ? words.map(({ word, ...span }) => ({ text: word, ...span })) : segments).map(
    ({ text, start, end }) => ({ text, startSecond: start, endSecond: end }),
  );
