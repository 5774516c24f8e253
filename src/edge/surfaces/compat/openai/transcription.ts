import type { Clock } from '../../../../foundation/platform/clock.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { hear } from '../../../../media/wire/index.ts';
import {
  type AcceptedSocket,
  printableFieldName,
  type Socket,
  type SocketHandler,
} from '../../../server/surface.ts';
import { NO_EVENT, readClientMessage } from '../client-message.ts';
import { RealtimeCallerInput } from './caller-input.ts';
import { EventSink, newThing } from './events.ts';
import { Items } from './items.ts';
import {
  DEFAULTS,
  type Dialect,
  endpointingOf,
  type RealtimeSettings,
  readSession,
  SessionError,
  showSession,
} from './settings.ts';
import { pcmOf, rateOf } from './sound.ts';

export interface TranscriptionDeps {
  readonly clock: Clock;
  readonly open: (query: URLSearchParams) => Promise<AcceptedSocket>;
}

type Frame = hear.ServerFrame;
type Message = Readonly<Record<string, unknown>>;
type Final = Extract<Frame, { type: 'final' }>;

const EMPTY = 'input_audio_buffer_commit_empty';
const SESSION_SECONDS = 3600;
/** A client that sends a recording at once is ahead of the stream's opening by as much as a lane's queue holds. */
const MOST_HELD_BYTES = 3 * 1024 * 1024;
/** Hear accepts no larger frame. */
const FRAME_BYTES = 96_000;
const encoder = new TextEncoder();
export class RealtimeTranscription implements SocketHandler {
  readonly #deps: TranscriptionDeps;
  readonly #socket: Socket;
  readonly #events: EventSink;
  readonly #input: RealtimeCallerInput;
  readonly #id = newThing('sess');
  readonly #expiresAt: number;
  readonly #dialect: Dialect;
  #settings: RealtimeSettings;
  #inner: SocketHandler | null = null;
  #opening: Promise<void> | null = null;
  #held: { readonly data: Uint8Array; readonly isBinary: boolean }[] = [];
  #heldBytes = 0;
  #open: string | null = null;
  #finals: Final[] = [];
  /** Hear answers each commit with a final, in order. A clear commits as well, and drops that final. */
  #awaited: ('commit' | 'clear')[] = [];
  #hasAudio = false;
  #closed = false;

  constructor(deps: TranscriptionDeps, socket: Socket, dialect: Dialect, preset: unknown) {
    this.#deps = deps;
    this.#socket = socket;
    this.#dialect = dialect;
    this.#events = new EventSink(socket, dialect);
    this.#input = new RealtimeCallerInput(this.#events, new Items());
    this.#expiresAt = Math.floor(deps.clock.now() / 1000) + SESSION_SECONDS;
    const before = { ...DEFAULTS, transcription: { model: 'svc-hear', language: null } };
    this.#settings = preset === null ? before : readSession(preset, before);
    this.#notify('created');
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    const message = isBinary ? null : readClientMessage(data);
    if (message === null) {
      this.#events.error('invalid_request', NO_EVENT);
      return;
    }
    try {
      this.#take(message);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      this.#events.error('invalid_value', error.message, error.param, message.event_id);
    }
  }

  onSendBufferDrained(): void {
    this.#inner?.onSendBufferDrained?.();
  }

  onClosing(code: number): void {
    this.#inner?.onClosing?.(code);
  }

  onServerDraining(msLeft: number): void {
    this.#inner?.onServerDraining?.(msLeft);
  }

  onClosed(code: number): void {
    this.#closed = true;
    this.#inner?.onClosed(code);
  }

  #take(message: Message): void {
    switch (message.type) {
      case 'session.update':
      case 'transcription_session.update':
        this.#update(message.session);
        return;
      case 'input_audio_buffer.append':
        this.#append(message);
        return;
      case 'input_audio_buffer.commit':
        if (this.#hasAudio) this.#endTurn('commit');
        else this.#events.error(EMPTY, 'there is no audio to commit', null, message.event_id);
        return;
      case 'input_audio_buffer.clear':
        if (this.#hasAudio || this.#awaited.length > 0) this.#endTurn('clear');
        else this.#events.emit('input_audio_buffer.cleared');
        return;
      default:
        this.#events.error(
          'invalid_value',
          `type ${printableFieldName(String(message.type))} is not a client event of a transcription session`,
          'type',
          message.event_id,
        );
    }
  }

  #update(said: unknown): void {
    const next = readSession(said, this.#settings);
    if (this.#opening !== null && streamOf(next).toString() !== streamOf(this.#settings).toString())
      throw new SessionError(
        'session',
        'format, language and turn detection can be changed only before the first audio',
      );
    this.#settings = next;
    this.#notify('updated');
  }

  #notify(what: 'created' | 'updated'): void {
    const older = this.#dialect === 'beta' ? 'transcription_session' : 'session';
    const { model = 'svc-hear' } = this.#settings.transcription ?? {};
    const shown = { id: this.#id, model, kind: 'transcription', expiresAt: this.#expiresAt } as const;
    const session = showSession(this.#settings, shown, this.#dialect);
    this.#events.emit(`${older}.${what}`, { session });
  }

  #append({ audio, event_id: about }: Message): void {
    if (typeof audio !== 'string') {
      this.#events.error('invalid_value', 'audio must be a Base64-encoded string', 'audio', about);
      return;
    }
    const pcm = pcmOf(this.#settings.format, Buffer.from(audio, 'base64'));
    if (pcm.length % 2 === 1) {
      this.#events.error('invalid_value', 'audio must contain whole 16-bit samples', 'audio', about);
      return;
    }
    this.#hasAudio ||= pcm.length > 0;
    for (let at = 0; at < pcm.length; at += FRAME_BYTES) this.#send(pcm.subarray(at, at + FRAME_BYTES), true);
  }

  #endTurn(by: 'commit' | 'clear'): void {
    this.#hasAudio = false;
    this.#awaited.push(by);
    this.#send(encoder.encode('{"type":"commit"}'), false);
  }

  #send(data: Uint8Array, isBinary: boolean): void {
    this.#opening ??= this.#begin();
    if (this.#inner !== null) this.#inner.onMessage(data, isBinary);
    else if (this.#heldBytes + data.length <= MOST_HELD_BYTES) {
      this.#heldBytes += data.length;
      this.#held.push({ data, isBinary });
    } else this.#events.error('rate_limit_exceeded', 'audio was sent before the session was ready');
  }

  async #begin(): Promise<void> {
    try {
      const accepted = await this.#deps.open(streamOf(this.#settings));
      if (this.#closed) {
        accepted.abandon?.();
        return;
      }
      const socket = this.#socket;
      this.#inner = accepted.open({
        requestId: socket.requestId,
        get bufferedBytes() {
          return socket.bufferedBytes;
        },
        send: (data) => this.#onFrame(JSON.parse(data as string) as Frame),
        close: (code, reason) => socket.close(code, reason),
      });
      for (const { data, isBinary } of this.#held.splice(0)) this.#inner.onMessage(data, isBinary);
    } catch (error) {
      const known = error instanceof ApiError ? error : null;
      const message = known?.message ?? 'the session could not start';
      this.#events.error(known?.code ?? 'internal_error', message, known?.param ?? null);
      this.#socket.close(known === null ? 1011 : 1008, known?.code ?? 'internal_error');
    }
  }

  #onFrame(frame: Frame): boolean {
    switch (frame.type) {
      case 'partial':
      case 'partial_stable':
        this.#began(frame);
        break;
      case 'final':
        this.#final(frame);
        break;
      case 'error':
        if (frame.error.code === 'internal_error') this.#failed(frame.error.message);
        else this.#events.error(frame.error.code, frame.error.message, frame.error.param);
        break;
      default:
    }
    return this.#socket.bufferedBytes === 0;
  }

  #began({ utterance_id: id, start }: { readonly utterance_id: string; readonly start: number }): void {
    if (this.#open === id) return;
    this.#open = id;
    this.#input.started(start * 1000, this.#settings.turnDetection !== null);
  }

  #final(frame: Final): void {
    const isCommit = frame.endpoint_reason === 'commit';
    if (this.#awaited[0] === 'clear') {
      if (isCommit) this.#cleared();
      return;
    }
    const byClient = this.#settings.turnDetection === null;
    if (isCommit) this.#awaited.shift();
    if (byClient) {
      this.#finals.push(frame);
      if (!isCommit && frame.endpoint_reason !== 'close') return;
    } else if (frame.text !== '') {
      this.#began(frame);
      this.#input.stopped(frame.end * 1000);
    } else if (!isCommit) return;
    this.#committed(byClient ? this.#finals.splice(0) : [frame]);
  }

  #committed(finals: readonly Final[]): void {
    this.#open = null;
    const text = finals
      .map((one) => one.text)
      .filter((one) => one !== '')
      .join(' ');
    const seconds = finals.reduce((sum, { start, end }) => sum + end - start, 0);
    const itemId = this.#input.commit(text);
    this.#input.heard(itemId, text, true, Math.round(seconds * 1000) / 1000);
  }

  #cleared(): void {
    this.#awaited.shift();
    this.#open = null;
    this.#finals = [];
    this.#input.drop();
    this.#events.emit('input_audio_buffer.cleared');
  }

  /** An utterance that failed has no final. */
  #failed(message: string): void {
    if (this.#awaited[0] === 'clear') {
      this.#cleared();
      return;
    }
    this.#awaited.shift();
    this.#open = null;
    this.#finals = [];
    this.#input.unheard(this.#input.commit(''), message);
  }
}

function streamOf({ format, turnDetection, transcription }: RealtimeSettings): URLSearchParams {
  const endpointing = endpointingOf(turnDetection);
  return new URLSearchParams({
    encoding: 'pcm16',
    sample_rate: String(rateOf(format)),
    language: transcription?.language ?? 'auto',
    ...(endpointing === null ? {} : { endpointing_ms: String(endpointing) }),
  });
}
