import {
  InvalidArgumentError,
  type SpeechModelV2,
  type SpeechModelV2CallOptions,
  type SpeechModelV2CallWarning,
} from '@ai-sdk/provider';
import { headersOf, post, type Server } from './server.js';

export interface TrunklineSpeechOptions {
  /** One of the voice's `emotions` in the catalogue. */
  readonly emotion?: string;
}

const FORMATS = ['mp3', 'wav', 'opus', 'aac', 'flac', 'g711_ulaw', 'g711_alaw', 'pcm'];
const PCM_RATES: Readonly<Record<string, number | undefined>> = {
  pcm_8000: 8000,
  pcm_16000: 16_000,
  pcm_24000: undefined,
};

function formatOf(outputFormat: string): { response_format: string; sample_rate?: number } {
  if (FORMATS.includes(outputFormat)) return { response_format: outputFormat };
  if (Object.hasOwn(PCM_RATES, outputFormat)) {
    const rate = PCM_RATES[outputFormat];
    return { response_format: 'pcm', ...(rate === undefined ? {} : { sample_rate: rate }) };
  }
  const known = [...FORMATS, ...Object.keys(PCM_RATES)].join(', ');
  throw new InvalidArgumentError({
    argument: 'outputFormat',
    message: `outputFormat is one of ${known}, not ${outputFormat}`,
  });
}

function warningsOf({ instructions, language }: SpeechModelV2CallOptions): SpeechModelV2CallWarning[] {
  const without = [
    instructions === undefined ? '' : 'instructions have no effect: use providerOptions.trunkline.emotion',
    language === undefined ? '' : 'language has no effect: the voice fixes it',
  ];
  return without.filter((message) => message !== '').map((message) => ({ type: 'other', message }));
}

export const speechModel = (server: Server, modelId: string): SpeechModelV2 => ({
  specificationVersion: 'v2',
  provider: 'trunkline.speech',
  modelId,
  async doGenerate(options) {
    const { text, voice, speed, outputFormat = 'mp3', abortSignal, providerOptions } = options;
    const { emotion } = (providerOptions?.trunkline ?? {}) as TrunklineSpeechOptions;
    const values = { model: modelId, input: text, voice, speed, emotion, ...formatOf(outputFormat) };
    const body = JSON.stringify(values);
    const timestamp = new Date();
    const response = await post(server, '/v1/audio/speech', {
      body,
      values,
      headers: options.headers,
      signal: abortSignal,
    });
    return {
      audio: new Uint8Array(await response.arrayBuffer()),
      warnings: warningsOf(options),
      request: { body },
      response: { timestamp, modelId: servedBy(response, modelId), headers: headersOf(response) },
      providerMetadata: { trunkline: spokenOf(response) },
    };
  },
});

export const servedBy = (response: Response, modelId: string): string =>
  response.headers.get('x-svc-model') ?? modelId;

function spokenOf({ headers }: Response): Record<string, string | number> {
  const speed = headers.get('x-svc-speed');
  return {
    voice: headers.get('x-svc-voice') ?? '',
    sampleRate: Number(headers.get('x-svc-sample-rate')),
    ...(speed === null ? {} : { speed: Number(speed) }),
  };
}
