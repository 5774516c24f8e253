import type { AnswerVoice } from '../answer-voice.ts';
import { BrainError, type BrainEvent, type BrainUsage } from '../contract.ts';
import { endpointStreamError } from '../endpoint/endpoint-errors.ts';
import { CALLER_AUDIO_RATE, MODEL_VOICE_RATE } from './realtime-messages.ts';

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

const SOUND: ReadonlySet<string> = new Set(['response.output_audio.delta', 'response.audio.delta']);
const SOUND_ENDS: ReadonlySet<string> = new Set(['response.output_audio.done', 'response.audio.done']);
/** The base64 of a sample's two bytes is longer, so a shorter delta has no sound. */
const LEAST_SOUND = 4;
/** Nobody speaks slower, nor sends so much audio before its words. */
const MOST_MS_PER_CHARACTER = 160;
const MOST_AHEAD_MS = 10_000;
/** An answer that is spoken has fewer characters, and the event loop reads each of them. */
const MOST_CHARACTERS = 5_000;

/** Reads the events of one response. */
export class RealtimeResponse {
  readonly #called = new Set<string>();
  readonly #voice: AnswerVoice | null;
  readonly #onSound: (ms: number) => void;
  #isAnnounced = false;
  isDone = false;
  /** Audio has begun, and more of it is to come. */
  isSounding = false;
  soundMs = 0;
  /** A monotonic time; null while there was no audio. */
  soundedAt: number | null = null;

  /** The audio of a server that speaks although text was requested is left out where there is no voice to take it. */
  constructor(voice: AnswerVoice | null = null, onSound: (ms: number) => void = () => undefined) {
    this.#voice = voice;
    this.#onSound = onSound;
  }

  /** Throws BrainError; nothing else. */
  *take(message: string): Generator<BrainEvent> {
    const said = parsed(message);
    const type = textOf(said.type);
    if (WORDS.has(type)) {
      const text = textOf(said.delta);
      if (text === '') return;
      yield* this.#announce();
      if (this.#voice !== null && this.#voice.words.length + text.length > MOST_CHARACTERS)
        throw new BrainError('garbage', 'the server sent more words than a spoken answer has', {
          retryable: false,
        });
      this.#voice?.add(text);
      yield { kind: 'text', text };
    } else if (SOUND.has(type)) yield* this.#hear(textOf(said.delta));
    else if (SOUND_ENDS.has(type)) this.#pause();
    else if (type === 'response.output_item.done') yield* this.#callIn(said.item);
    else if (type === 'response.done') yield* this.#finish(fieldsOf(said.response));
    else if (type === 'session.updated') checkFormat(fieldsOf(said.session), this.#voice !== null);
    else if (type === 'error') throw endpointStreamError(said.error);
  }

  /** Servers end the audio of an answer that they cut in the same way; its status tells them apart. */
  #pause(): void {
    this.isSounding = false;
    this.#voice?.pause();
  }

  *#announce(): Generator<BrainEvent> {
    if (this.#isAnnounced || this.#voice === null) return;
    this.#isAnnounced = true;
    yield { kind: 'voice', voice: this.#voice };
  }

  *#hear(base64: string): Generator<BrainEvent> {
    if (this.#voice === null || base64.length < LEAST_SOUND) return;
    const pcm = Buffer.from(base64, 'base64');
    this.isSounding = true;
    this.soundedAt ??= performance.now();
    const ms = (pcm.length / 2 / MODEL_VOICE_RATE) * 1_000;
    this.soundMs += ms;
    this.#onSound(ms);
    yield* this.#announce();
    this.#voice.add(pcm);
    if (this.soundMs > this.#voice.words.length * MOST_MS_PER_CHARACTER + MOST_AHEAD_MS)
      throw new BrainError('garbage', 'the server sent more audio than its words require', {
        retryable: false,
      });
    yield { kind: 'sound' };
  }

  *#finish({ status, status_details: details, output, usage }: Fields): Generator<BrainEvent> {
    this.isDone = true;
    this.isSounding = false;
    this.#voice?.finish(status === 'completed' ? 'complete' : 'cut');
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

/** A server that keeps another format would hear the caller, or speak, at another speed, or as noise. */
function checkFormat(
  { audio, input_audio_format: heard, output_audio_format: spoken }: Fields,
  isSpoken: boolean,
): void {
  const { input, output } = fieldsOf(audio);
  checkSide('takes', fieldsOf(fieldsOf(input).format), heard, CALLER_AUDIO_RATE);
  if (isSpoken) checkSide('sends', fieldsOf(fieldsOf(output).format), spoken, MODEL_VOICE_RATE);
}

function checkSide(does: 'takes' | 'sends', { type, rate }: Fields, older: unknown, wanted: number): void {
  const isOther =
    (type !== undefined && type !== 'audio/pcm') ||
    (rate !== undefined && rate !== wanted) ||
    (older !== undefined && older !== 'pcm16');
  if (isOther)
    throw new BrainError(
      'garbage',
      `the server ${does} audio as ${describe(type ?? older)} at ${describe(rate)} Hz, but PCM16 at ${wanted} Hz was requested`,
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
