import type { hear } from '../../../../media/wire/index.ts';
import type { AcceptedSocket, Socket } from '../../../server/surface.ts';
import { readClientMessage } from '../client-message.ts';
import type { LiveSound } from '../deepgram/live-sound.ts';
import { TranslatedHear } from '../translated-hear.ts';

export interface ElevenLabsLiveSettings {
  readonly sound: LiveSound;
  /** Only the client commits; silence only ends a segment of what it commits. */
  readonly isManual: boolean;
  readonly hasSecondCopy: boolean;
  readonly config: object;
}

type Frame = hear.ServerFrame;
type Final = Extract<Frame, { type: 'final' }>;
type Word = Final['words'][number];

const COMMIT = new TextEncoder().encode('{"type":"commit"}');
const KEEPALIVE = new TextEncoder().encode('{"type":"keepalive"}');
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

const KINDS: Readonly<Record<string, string>> = {
  insufficient_quota: 'quota_exceeded',
  credit_exhausted: 'quota_exceeded',
  key_budget_exceeded: 'quota_exceeded',
  daily_cap_exceeded: 'quota_exceeded',
  rate_limit_exceeded: 'rate_limited',
  concurrency_limit_exceeded: 'rate_limited',
  capacity: 'resource_exhausted',
  unauthorized: 'auth_error',
  forbidden: 'auth_error',
  invalid_audio: 'input_error',
  invalid_request: 'input_error',
};

export class ElevenLabsTranscriptionSession extends TranslatedHear {
  readonly #socket: Socket;
  readonly #settings: ElevenLabsLiveSettings;
  #finals: Final[] = [];

  constructor(accepted: AcceptedSocket, socket: Socket, settings: ElevenLabsLiveSettings) {
    super(accepted);
    this.#socket = socket;
    this.#settings = settings;
    this.openStream(
      socket,
      (frame) => this.#notify(frame),
      (code, reason) => this.#leave(code, reason),
    );
    this.#send('session_started', { session_id: socket.requestId, config: settings.config });
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    const message = isBinary ? null : readClientMessage(data);
    const sound = message?.audio_base_64 ?? '';
    if (message?.message_type !== 'input_audio_chunk')
      this.#send('input_error', {
        error: 'A message must be JSON text with the message_type input_audio_chunk.',
      });
    else if (typeof sound !== 'string' || !BASE64.test(sound))
      this.#send('input_error', { error: 'audio_base_64 must be Base64-encoded audio.' });
    else this.#take(Buffer.from(sound, 'base64'), message.commit === true);
  }

  #take(sound: Buffer, commits: boolean): void {
    if (sound.length > 0) this.stream.onMessage(this.#settings.sound.pcmOf(sound), true);
    if (commits) this.stream.onMessage(COMMIT, false);
    else if (sound.length === 0) this.stream.onMessage(KEEPALIVE, false);
  }

  #notify(frame: Frame): boolean {
    switch (frame.type) {
      case 'partial':
        return this.#send('partial_transcript', { text: joined([...this.#finals, frame]) });
      case 'final':
        return this.#ended(frame);
      case 'error':
        return this.#send(KINDS[frame.error.code] ?? 'transcriber_error', { error: frame.error.message });
      default:
        return true;
    }
  }

  #ended(frame: Final): boolean {
    const isCommitted = !this.#settings.isManual || frame.endpoint_reason === 'commit';
    if (frame.text !== '') this.#finals.push(frame);
    // Silence without speech commits nothing; an explicit commit always gets an answer.
    if (!isCommitted || (this.#finals.length === 0 && frame.endpoint_reason !== 'commit')) return true;
    return this.#commit();
  }

  #commit(): boolean {
    const text = joined(this.#finals);
    const words = this.#finals.flatMap(({ words }) => words);
    this.#finals = [];
    const sent = this.#send('committed_transcript', { text });
    if (!this.#settings.hasSecondCopy) return sent;
    return this.#send('committed_transcript_with_timestamps', { text, words: wordsOf(words) });
  }

  #leave(code: number, reason: string): void {
    if (this.#finals.length > 0) this.#commit();
    this.#socket.close(code, reason);
  }

  #send(message_type: string, more: object): boolean {
    return this.#socket.send(JSON.stringify({ message_type, ...more }));
  }
}

const joined = (frames: readonly { readonly text: string }[]): string =>
  frames
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' ');

function wordsOf(words: readonly Word[]): object[] {
  return words.flatMap(({ word, start, end }, at) => {
    const before = words[at - 1];
    const spoken = { text: word, type: 'word', start, end, logprob: 0 };
    if (before === undefined) return [spoken];
    return [{ text: ' ', type: 'spacing', start: before.end, end: start, logprob: 0 }, spoken];
  });
}
