import type { Clock } from '../../../../foundation/platform/clock.ts';
import type { PiiEntity } from '../../../../language/pii/index.ts';
import type { hear } from '../../../../media/wire/index.ts';
import type { AcceptedSocket, Socket } from '../../../server/surface.ts';
import { TranslatedHear } from '../translated-hear.ts';
import { type LiveDecoder, LiveInput, type LiveInputSettings } from './live-input.ts';
import { warningsOf } from './query.ts';
import { redacted } from './redaction.ts';
import { bareWord } from './transcript.ts';

export interface DeepgramLiveSettings {
  readonly interim: boolean;
  readonly vadEvents: boolean;
  readonly utteranceEndMs: number | null;
  readonly input: LiveInputSettings;
  readonly redact: readonly PiiEntity[];
  readonly ignored: readonly string[];
}

const CONTROL: Readonly<Record<string, string>> = {
  KeepAlive: 'keepalive',
  Finalize: 'commit',
  CloseStream: 'close',
};
const CHANNEL = [0, 1];
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const CLOSE = encoder.encode('{"type":"close"}');

type ClientControl = hear.ServerFrame;
type DeepgramFrame = Extract<ClientControl, { type: 'partial' | 'final' }>;

export class DeepgramLiveSession extends TranslatedHear {
  readonly #clock: Clock;
  readonly #socket: Socket;
  readonly #settings: DeepgramLiveSettings;
  readonly #begun = new Date();
  #open: string | null = null;
  #seconds = 0;
  readonly #input: LiveInput;
  #stopWaiting: () => void = () => undefined;

  constructor(
    { clock, decoder }: { readonly clock: Clock; readonly decoder: LiveDecoder },
    accepted: AcceptedSocket,
    socket: Socket,
    settings: DeepgramLiveSettings,
  ) {
    super(accepted);
    this.#clock = clock;
    this.#socket = socket;
    this.#settings = settings;
    this.openStream(
      socket,
      (frame) => this.#notify(frame),
      (code, reason) => this.#leave(code, reason),
    );
    this.#input = new LiveInput(
      decoder,
      settings.input,
      (pcm) => this.stream.onMessage(pcm, true),
      ({ code, message }) => {
        this.#error(code, message);
        this.#socket.close(1008, code);
      },
    );
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    const control = isBinary ? null : translated(data);
    // Older clients end a stream with an empty message.
    const ends = isBinary ? data.length === 0 : control === CLOSE;
    if (ends) this.#input.finish(() => this.stream.onMessage(CLOSE, false));
    else if (control !== null) this.stream.onMessage(control, false);
    else this.#input.take(data);
  }

  override onClosed(code: number): void {
    this.#stopWaiting();
    this.#input.stop();
    super.onClosed(code);
  }

  #notify(frame: ClientControl): boolean {
    switch (frame.type) {
      case 'partial':
        this.#started(frame);
        return !this.#settings.interim || this.#results(frame);
      case 'final':
        // An empty utterance contains no speech, so no start or end of speech is sent.
        if (frame.text === '' && this.#open !== frame.utterance_id) return this.#results(frame);
        this.#started(frame);
        this.#open = null;
        this.#awaitEnd(frame);
        return this.#results(frame);
      case 'usage':
        this.#seconds = frame.audio_seconds;
        return true;
      case 'error':
        return this.#error(frame.error.code, frame.error.message);
      default:
        return true;
    }
  }

  #started({ utterance_id, start }: DeepgramFrame): void {
    this.#stopWaiting();
    if (this.#open === utterance_id) return;
    this.#open = utterance_id;
    if (this.#settings.vadEvents) this.#send({ type: 'SpeechStarted', channel: CHANNEL, timestamp: start });
  }

  /** The final arrives when the endpoint has fired, so the wait counts from there. */
  #awaitEnd({ end }: DeepgramFrame): void {
    const { utteranceEndMs } = this.#settings;
    if (utteranceEndMs === null) return;
    this.#stopWaiting = this.#clock.after(utteranceEndMs, () => {
      this.#send({ type: 'UtteranceEnd', channel: CHANNEL, last_word_end: end });
    });
  }

  #leave(code: number, reason: string): void {
    this.#stopWaiting();
    const { ignored } = this.#settings;
    this.#send({
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: this.#socket.requestId,
      sha256: '',
      created: this.#begun.toISOString(),
      duration: this.#seconds,
      channels: 1,
      ...(ignored.length > 0 ? { warnings: warningsOf(ignored) } : {}),
    });
    this.#socket.close(code, reason);
  }

  #results(frame: DeepgramFrame): boolean {
    return this.#send(resultsOf(frame, this.#socket.requestId, this.#settings.redact));
  }

  #error(err_code: string, err_msg: string): boolean {
    return this.#send({ type: 'Error', err_code, err_msg, request_id: this.#socket.requestId });
  }

  #send(message: object): boolean {
    return this.#socket.send(JSON.stringify(message));
  }
}

/** Converts a control of Deepgram's to Hear's. Hear rejects anything else. */
function translated(data: Uint8Array): Uint8Array {
  try {
    const { type } = JSON.parse(decoder.decode(data)) as { type?: string };
    const known = CONTROL[String(type)];
    if (known === 'close') return CLOSE;
    return known === undefined ? data : encoder.encode(JSON.stringify({ type: known }));
  } catch {
    return data;
  }
}

function resultsOf(frame: DeepgramFrame, request_id: string, redact: readonly PiiEntity[]) {
  const { start, end } = frame;
  const isFinal = frame.type === 'final';
  const { text, words } = redacted({ text: frame.text, words: isFinal ? frame.words : [] }, redact);
  return {
    type: 'Results',
    channel_index: CHANNEL,
    duration: Math.round((end - start) * 1000) / 1000,
    start,
    is_final: isFinal,
    speech_final: isFinal && (frame.endpoint_reason === 'silence' || frame.endpoint_reason === 'commit'),
    from_finalize: isFinal && frame.endpoint_reason === 'commit',
    channel: { alternatives: [{ transcript: text, confidence: 0, words: words.map(wordOf) }] },
    metadata: {
      request_id,
      model_info: { name: 'svc-hear', version: '1', arch: 'svc-hear' },
      model_uuid: 'svc-hear',
    },
  };
}

const wordOf = ({ word, start, end }: { word: string; start: number; end: number }) => ({
  word: bareWord(word),
  start,
  end,
  confidence: 0,
  punctuated_word: word,
});
