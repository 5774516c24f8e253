import { ProviderError } from './contract.ts';
import { textOr } from './messages.ts';
import {
  describeRecognition,
  type RecognitionProvider,
  type RecognitionProviderOptions,
  type RecognitionRequest,
} from './recognition.ts';
import { type RecognitionProtocol, type RecognitionResult, SocketRecognition } from './socket-recognition.ts';

/** Servers refuse a longer request line than 8 KiB, of which the stored URL may have 2 KiB. */
const MAX_KEYTERM_CHARACTERS = 4_096;

/** Deepgram's `listen` socket. */
export const deepgramRecognition = (options: RecognitionProviderOptions): RecognitionProvider => ({
  ...describeRecognition(options),
  listen: (request) => new SocketRecognition(options, protocolOf(options, request)),
});

const protocolOf = (
  options: RecognitionProviderOptions,
  request: RecognitionRequest,
): RecognitionProtocol => ({
  url: endpointOf(options, request),
  headers: {
    ...(options.key === undefined ? {} : { authorization: `Token ${options.key}` }),
    ...options.headers,
  },
  finalize: JSON.stringify({ type: 'Finalize' }),
  audio: (pcm) => pcm,
  resultIn,
});

function resultIn(said: Readonly<Record<string, unknown>>): RecognitionResult | null {
  if (said.type === 'Error')
    throw new ProviderError(
      'refused',
      `the provider returned an error: ${textOr(said.description, 'Error')}`,
    );
  if (said.type !== 'Results' || said.is_final !== true) return null;
  return { text: transcriptIn(said.channel), isLast: said.from_finalize === true };
}

function transcriptIn(channel: unknown): string {
  const { alternatives } = (channel ?? {}) as { readonly alternatives?: unknown };
  const [first] = Array.isArray(alternatives) ? (alternatives as unknown[]) : [];
  return textOr(((first ?? {}) as { readonly transcript?: unknown }).transcript, '');
}

function endpointOf(
  options: RecognitionProviderOptions,
  { rate, language, vocabulary }: RecognitionRequest,
): string {
  const at = new URL(options.url);
  at.pathname = `${at.pathname.replace(/(\/v1(\/listen)?)?\/*$/, '')}/v1/listen`;
  const wanted: Record<string, string> = {
    model: options.model ?? 'nova-3',
    language,
    encoding: 'linear16',
    sample_rate: String(rate),
    channels: '1',
    punctuate: 'true',
    smart_format: 'true',
    interim_results: 'false',
    endpointing: 'false',
  };
  for (const [name, value] of Object.entries(wanted)) at.searchParams.set(name, value);
  let left = MAX_KEYTERM_CHARACTERS;
  for (const keyterm of vocabulary) {
    left -= new URLSearchParams({ keyterm }).toString().length + 1;
    if (left < 0) break;
    at.searchParams.append('keyterm', keyterm);
  }
  return at.href;
}
