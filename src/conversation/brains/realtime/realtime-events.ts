import { BrainError, type BrainEvent, type BrainUsage } from '../contract.ts';
import { endpointStreamError } from '../endpoint/endpoint-errors.ts';
import { CALLER_AUDIO_RATE } from './realtime-messages.ts';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A server that speaks although text was requested sends the words of its audio. */
const WORDS: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.text.delta',
  'response.output_audio_transcript.delta',
  'response.audio_transcript.delta',
]);

/** Reads the events of one response. */
export class RealtimeResponse {
  readonly #called = new Set<string>();
  isDone = false;

  /** Throws BrainError; nothing else. */
  *take(message: string): Generator<BrainEvent> {
    const said = parsed(message);
    const type = textOf(said.type);
    if (WORDS.has(type)) {
      const text = textOf(said.delta);
      if (text !== '') yield { kind: 'text', text };
    } else if (type === 'response.output_item.done') yield* this.#callIn(said.item);
    else if (type === 'response.done') yield* this.#finish(fieldsOf(said.response));
    else if (type === 'session.updated') checkFormat(fieldsOf(said.session));
    else if (type === 'error') throw endpointStreamError(said.error);
  }

  *#finish({ status, status_details: details, output, usage }: Fields): Generator<BrainEvent> {
    this.isDone = true;
    for (const item of Array.isArray(output) ? output : []) yield* this.#callIn(item);
    const used = usageIn(fieldsOf(usage));
    if (used !== null) yield { kind: 'usage', ...used };
    const { error, reason } = fieldsOf(details);
    if (status === 'failed') throw endpointStreamError(error);
    if (status === 'incomplete' && reason === 'max_output_tokens') yield { kind: 'truncated' };
    else if (status !== 'completed')
      throw new BrainError('refused', `the response ended as ${describe(status)}: ${describe(reason)}`, {
        retryable: false,
      });
  }

  *#callIn(value: unknown): Generator<BrainEvent> {
    const item = fieldsOf(value);
    const [id, name] = [textOf(item.call_id), textOf(item.name)];
    if (item.type !== 'function_call' || id === '' || name === '' || this.#called.has(id)) return;
    this.#called.add(id);
    yield { kind: 'tool_call', call: { id, name, arguments: textOf(item.arguments) || '{}' } };
  }
}

function parsed(message: string): Fields {
  try {
    const said: unknown = JSON.parse(message);
    if (typeof said === 'object' && said !== null) return said as Fields;
  } catch {}
  throw new BrainError('garbage', 'the server sent a message that is not a JSON object', {
    retryable: false,
  });
}

/** A server that keeps another format would hear the caller at another speed, or noise. */
function checkFormat({ audio, input_audio_format: older }: Fields): void {
  const { type, rate } = fieldsOf(fieldsOf(fieldsOf(audio).input).format);
  const isOther =
    (type !== undefined && type !== 'audio/pcm') ||
    (rate !== undefined && rate !== CALLER_AUDIO_RATE) ||
    (older !== undefined && older !== 'pcm16');
  if (isOther)
    throw new BrainError(
      'garbage',
      `the server takes audio as ${describe(type ?? older)} at ${describe(rate)} Hz, but PCM16 at ${CALLER_AUDIO_RATE} Hz was requested`,
      { retryable: false },
    );
}

const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.round(value) : 0);

/** Servers that do not count report zeros. */
function usageIn(usage: Fields): BrainUsage | null {
  const promptTokens = count(usage.input_tokens);
  const completionTokens = count(usage.output_tokens);
  if (promptTokens + completionTokens === 0) return null;
  const cachedTokens = count(fieldsOf(usage.input_token_details).cached_tokens);
  return { promptTokens, cachedTokens, completionTokens };
}

/** Only short codes are shown, because a server's text may repeat the caller's words. */
const describe = (value: unknown): string =>
  typeof value === 'number' || /^[\w./-]{1,64}$/.test(textOf(value)) ? String(value) : 'something else';
