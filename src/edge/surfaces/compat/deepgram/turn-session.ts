import type { hear } from '../../../../media/wire/index.ts';
import type { AcceptedSocket, Socket } from '../../../server/surface.ts';
import { TranslatedHear } from '../translated-hear.ts';
import { type LiveDecoder, LiveInput, type LiveInputSettings } from './live-input.ts';
import { warningsOf } from './query.ts';

export interface DeepgramTurnSettings {
  readonly input: LiveInputSettings;
  /** With `eager_eot_threshold`, the end of a turn is sent before its last words are final. */
  readonly eager: boolean;
  readonly ignored: readonly string[];
}

const CONTROL: Readonly<Record<string, string>> = {
  KeepAlive: 'keepalive',
  ForceEndTurn: 'commit',
  CloseStream: 'close',
};
const TRIGGER = { silence: 'model', commit: 'manual', max_utterance: 'timeout', close: 'manual' } as const;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Frame = hear.ServerFrame;
type SpokenFrame = Extract<Frame, { type: 'partial' | 'speech_final' | 'final' }>;

export class DeepgramTurnSession extends TranslatedHear {
  readonly #socket: Socket;
  readonly #settings: DeepgramTurnSettings;
  #sequence = 0;
  #turn = 0;
  #open: string | null = null;
  #isEager = false;
  readonly #input: LiveInput;

  constructor(
    decoder: LiveDecoder,
    accepted: AcceptedSocket,
    socket: Socket,
    settings: DeepgramTurnSettings,
  ) {
    super(accepted);
    this.#socket = socket;
    this.#settings = settings;
    this.openStream(
      socket,
      (frame) => this.#notify(frame),
      (code, reason) => socket.close(code, reason),
    );
    this.#input = new LiveInput(
      decoder,
      settings.input,
      (pcm) => this.stream.onMessage(pcm, true),
      ({ message }) => this.#fail('UNSUPPORTED_AUDIO', message),
    );
    const { ignored } = settings;
    this.#send('Connected', ignored.length > 0 ? { warnings: warningsOf(ignored) } : {});
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (isBinary) {
      this.#input.take(data);
      return;
    }
    const type = typeOf(data);
    if (type === 'Configure') this.#send('ConfigureFailure', {});
    else if (CONTROL[type] === undefined)
      this.#fail(
        'UNPARSABLE_CLIENT_MESSAGE',
        `type must be one of ${Object.keys(CONTROL).join(', ')}, Configure.`,
      );
    else {
      const control = encoder.encode(JSON.stringify({ type: CONTROL[type] }));
      if (type === 'CloseStream') this.#input.finish(() => this.stream.onMessage(control, false));
      else this.stream.onMessage(control, false);
    }
  }

  override onClosed(code: number): void {
    this.#input.stop();
    super.onClosed(code);
  }

  #notify(frame: Frame): boolean {
    switch (frame.type) {
      case 'partial':
        return this.#begun(frame) ? this.#turnInfo('Update', frame) : true;
      case 'speech_final':
        if (!this.#settings.eager || this.#isEager || frame.text === '') return true;
        this.#begun(frame);
        this.#isEager = true;
        return this.#turnInfo('EagerEndOfTurn', frame);
      case 'final':
        return this.#ended(frame);
      case 'error':
        return this.#send('Error', { code: frame.error.code, description: frame.error.message });
      default:
        return true;
    }
  }

  #begun(frame: SpokenFrame): boolean {
    if (this.#open === frame.utterance_id) return true;
    this.#open = frame.utterance_id;
    this.#isEager = false;
    this.#turnInfo('StartOfTurn', frame);
    return false;
  }

  #ended(frame: Extract<SpokenFrame, { type: 'final' }>): boolean {
    if (frame.text === '' && this.#open !== frame.utterance_id) return true;
    this.#begun(frame);
    this.#open = null;
    const sent = this.#turnInfo('EndOfTurn', frame, { trigger: TRIGGER[frame.endpoint_reason] });
    this.#turn += 1;
    return sent;
  }

  #turnInfo(event: string, frame: SpokenFrame, more: object = {}): boolean {
    const { text, start, end } = frame;
    return this.#send('TurnInfo', {
      event,
      turn_index: this.#turn,
      audio_window_start: start,
      audio_window_end: end,
      transcript: text,
      words: wordsOf(frame),
      end_of_turn_confidence: event === 'EndOfTurn' ? 1 : 0,
      ...more,
    });
  }

  #fail(code: string, description: string): void {
    this.#send('Error', { code, description });
    this.#socket.close(1008, code);
  }

  #send(type: string, more: object): boolean {
    const { requestId: request_id } = this.#socket;
    return this.#socket.send(JSON.stringify({ type, request_id, sequence_id: this.#sequence++, ...more }));
  }
}

/** Partial results have no word times. */
function wordsOf(frame: SpokenFrame): object[] {
  if (frame.type === 'final')
    return frame.words.map(({ word, start, end }) => ({ word, confidence: 0, start, end }));
  return frame.text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => ({ word, confidence: 0 }));
}

function typeOf(data: Uint8Array): string {
  try {
    return String((JSON.parse(decoder.decode(data)) as { type?: unknown } | null)?.type);
  } catch {
    return '';
  }
}
