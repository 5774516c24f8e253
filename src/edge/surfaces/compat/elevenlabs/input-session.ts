import type { Principal } from '../../../../foundation/access/contract.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { Socket, SocketHandler } from '../../../server/surface.ts';
import { closeCodeOf } from '../close-codes.ts';
import type { SpeechLineDeps } from '../speech-line.ts';
import type { CharacterTimes } from './running-alignment.ts';
import { type ContextSettings, SpokenContext } from './spoken-context.ts';

const decoder = new TextDecoder();
const MAX_CONTEXTS = 10;
const DEFAULT_CONTEXT = 'default';

interface InputMessage {
  readonly text?: unknown;
  readonly flush?: unknown;
  readonly context_id?: unknown;
  readonly close_context?: unknown;
  readonly close_socket?: unknown;
  readonly voice_settings?: { readonly speed?: unknown } | null;
}

export interface InputSettings extends ContextSettings {
  readonly multi: boolean;
}

export class ElevenLabsInputSession implements SocketHandler {
  readonly #deps: SpeechLineDeps;
  readonly #caller: Principal;
  readonly #socket: Socket;
  readonly #settings: InputSettings;
  readonly #contexts = new Map<string, SpokenContext>();
  #isOver = false;

  constructor(deps: SpeechLineDeps, caller: Principal, socket: Socket, settings: InputSettings) {
    this.#deps = deps;
    this.#caller = caller;
    this.#socket = socket;
    this.#settings = settings;
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#isOver) return;
    try {
      const message = isBinary ? null : readMessage(decoder.decode(data));
      if (message === null)
        throw new ApiError('invalid_request', 'A message must be a text frame that contains a JSON object.');
      if (this.#settings.multi) this.#takeMulti(message);
      else this.#take(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  onSendBufferDrained(): void {
    for (const context of this.#contexts.values()) context.drained();
  }

  onClosed(): void {
    this.#isOver = true;
    for (const context of this.#contexts.values()) context.clear();
  }

  /** An empty text ends the input. */
  #take(message: InputMessage): void {
    const context = this.#context(DEFAULT_CONTEXT, message);
    const text = textOf(message);
    if (text !== undefined && text !== '') context.add(text);
    if (message.flush === true) context.flush();
    if (text === '') this.#endSocket();
  }

  /** An empty text keeps a context open. */
  #takeMulti(message: InputMessage): void {
    if (message.close_socket === true) {
      this.#endSocket();
      return;
    }
    const id = typeof message.context_id === 'string' ? message.context_id : DEFAULT_CONTEXT;
    const text = textOf(message);
    const known = this.#contexts.get(id);
    if (known === undefined && (text === undefined || text === '')) return;
    const context = known ?? this.#context(id, message);
    if (text !== undefined && text !== '') context.add(text);
    if (message.flush === true) context.flush();
    if (message.close_context !== true) return;
    context.end(() => this.#send({ isFinal: true, contextId: id }));
    context.end(() => {
      if (this.#contexts.get(id) === context) this.#contexts.delete(id);
    });
  }

  #context(id: string, { voice_settings: said }: InputMessage): SpokenContext {
    const known = this.#contexts.get(id);
    if (known) return known;
    if (this.#contexts.size >= MAX_CONTEXTS) {
      const message = `At most ${MAX_CONTEXTS} contexts can be open on a connection.`;
      throw new ApiError('rate_limit_exceeded', message, { param: 'context_id' });
    }
    const speed = typeof said?.speed === 'number' ? { speed: said.speed } : {};
    const settings = { ...this.#settings, order: { ...this.#settings.order, ...speed } };
    const context: SpokenContext = new SpokenContext(this.#deps, this.#caller, settings, {
      sound: (audio, alignment) => {
        if (!this.#sound(id, audio, alignment)) context.full();
      },
      failed: (error) => this.#fail(error),
    });
    this.#contexts.set(id, context);
    return context;
  }

  #sound(id: string, audio: Buffer, alignment: CharacterTimes): boolean {
    return this.#send({
      audio: audio.toString('base64'),
      isFinal: null,
      alignment,
      normalizedAlignment: alignment,
      ...(this.#settings.multi ? { contextId: id } : {}),
    });
  }

  #endSocket(): void {
    this.#isOver = true;
    let left = this.#contexts.size;
    const ended = (id: string) => {
      this.#send(this.#settings.multi ? { isFinal: true, contextId: id } : { audio: null, isFinal: true });
      left -= 1;
      if (left === 0) this.#socket.close(1000, 'all of it was spoken');
    };
    if (left === 0) this.#socket.close(1000, 'nothing to speak');
    for (const [id, context] of this.#contexts) context.end(() => ended(id));
  }

  #fail(error: unknown): void {
    const known = error instanceof ApiError ? error : null;
    const code = closeCodeOf(known);
    const name = known?.code ?? 'internal_error';
    this.#send({ message: known?.message ?? 'The text could not be synthesized.', error: name, code });
    this.onClosed();
    this.#socket.close(code, name);
  }

  #send(message: object): boolean {
    return this.#socket.send(JSON.stringify(message));
  }
}

function textOf({ text }: InputMessage): string | undefined {
  if (text === undefined || text === null || typeof text === 'string') return text ?? undefined;
  throw new ApiError('invalid_request', 'text must be a string.', { param: 'text' });
}

function readMessage(text: string): InputMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
