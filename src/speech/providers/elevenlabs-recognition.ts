import { ProviderError, type ProviderFault } from './contract.ts';
import { textOr } from './messages.ts';
import {
  describeRecognition,
  type RecognitionProvider,
  type RecognitionProviderOptions,
  type RecognitionRequest,
} from './recognition.ts';
import { type RecognitionProtocol, type RecognitionResult, SocketRecognition } from './socket-recognition.ts';

/** ElevenLabs' `speech-to-text/realtime` socket. */
export const elevenLabsRecognition = (options: RecognitionProviderOptions): RecognitionProvider => ({
  ...describeRecognition(options),
  listen: (request) => new SocketRecognition(options, protocolOf(options, request)),
});

const protocolOf = (
  options: RecognitionProviderOptions,
  request: RecognitionRequest,
): RecognitionProtocol => {
  const chunk = (audio_base_64: string, commit: boolean) =>
    JSON.stringify({
      message_type: 'input_audio_chunk',
      audio_base_64,
      commit,
      sample_rate: request.rate,
    });
  return {
    url: endpointOf(options, request),
    headers: { ...(options.key === undefined ? {} : { 'xi-api-key': options.key }), ...options.headers },
    finalize: chunk('', true),
    audio: (pcm) => chunk(Buffer.from(pcm).toString('base64'), false),
    resultIn,
  };
};

/** Too little audio came since the last commit, so that all texts are there. */
const NOTHING_TO_COMMIT: ReadonlySet<unknown> = new Set(['commit_throttled', 'insufficient_audio_activity']);
const OVERLOADED: ReadonlySet<unknown> = new Set([
  'rate_limited',
  'queue_overflow',
  'resource_exhausted',
  'concurrency_limit_exceeded',
]);

function resultIn({
  message_type: type,
  text,
  error,
}: Readonly<Record<string, unknown>>): RecognitionResult | null {
  if (type === 'committed_transcript') return { text: textOr(text, ''), isLast: true };
  if (NOTHING_TO_COMMIT.has(type)) return { text: '', isLast: true };
  if (error === undefined) return null;
  const fault: ProviderFault = OVERLOADED.has(type) ? 'overloaded' : 'refused';
  throw new ProviderError(
    fault,
    `the provider returned ${textOr(type, 'an error')}: ${textOr(error, 'no reason')}`,
  );
}

/** The protocol has no vocabulary for a socket. */
function endpointOf(
  options: RecognitionProviderOptions,
  { rate, language }: Pick<RecognitionRequest, 'rate' | 'language'>,
): string {
  const at = new URL(options.url);
  at.pathname = `${at.pathname.replace(/(\/v1(\/speech-to-text(\/realtime)?)?)?\/*$/, '')}/v1/speech-to-text/realtime`;
  const wanted: Record<string, string> = {
    model_id: options.model ?? 'scribe_v2_realtime',
    audio_format: `pcm_${rate}`,
    language_code: language,
    commit_strategy: 'manual',
  };
  for (const [name, value] of Object.entries(wanted)) at.searchParams.set(name, value);
  return at.href;
}
