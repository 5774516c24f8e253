import type { Principal } from '../../../../foundation/access/contract.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { Socket, SocketHandler } from '../../../server/surface.ts';
import { closeCodeOf } from '../close-codes.ts';
import { SpeechLine, type SpeechLineDeps, type SpeechOrder, sentencesOf } from '../speech-line.ts';

const decoder = new TextDecoder();

export class DeepgramSpeakSession implements SocketHandler {
  readonly #socket: Socket;
  readonly #line: SpeechLine;
  #open = '';
  #sequence = 0;
  #ends = false;

  constructor(
    deps: SpeechLineDeps,
    caller: Principal,
    socket: Socket,
    order: Omit<SpeechOrder, 'text'>,
    ignored: readonly string[],
  ) {
    this.#socket = socket;
    this.#line = new SpeechLine(deps, caller, order, (error) => this.#fail(error));
    this.#send({
      type: 'Metadata',
      request_id: socket.requestId,
      model_name: order.voice ?? 'svc-speak',
      model_version: '1',
      model_uuid: 'svc-speak',
    });
    for (const name of ignored) this.#warn('UNSUPPORTED_PARAMETER', `${name} has no effect on this server.`);
  }

  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (this.#ends) return;
    try {
      if (isBinary)
        this.#warn(
          'UNPARSABLE_CLIENT_MESSAGE',
          'A message must be a text frame that contains a JSON object.',
        );
      else this.#take(decoder.decode(data));
    } catch (error) {
      this.#fail(error);
    }
  }

  onSendBufferDrained(): void {
    this.#line.drained();
  }

  onClosed(): void {
    this.#ends = true;
    this.#line.clear();
  }

  #take(message: string): void {
    const { type, text } = readMessage(message);
    switch (type) {
      case 'Speak': {
        const { whole, rest } = sentencesOf(this.#open + String(text ?? ''));
        this.#open = rest;
        this.#say(whole);
        return;
      }
      case 'Flush':
        this.#sayRest();
        this.#line.afterSpeech(() => this.#send({ type: 'Flushed', sequence_id: this.#sequence++ }));
        return;
      case 'Clear':
        this.#open = '';
        this.#line.clear();
        this.#send({ type: 'Cleared', sequence_id: this.#sequence++ });
        return;
      case 'Close':
        this.#sayRest();
        this.#ends = true;
        this.#line.afterSpeech(() => this.#socket.close(1000, 'closed by the client'));
        return;
      default:
        this.#warn('UNPARSABLE_CLIENT_MESSAGE', 'type must be one of Speak, Flush, Clear, Close.');
    }
  }

  #sayRest(): void {
    const rest = this.#open;
    this.#open = '';
    this.#say(rest);
  }

  #say(text: string): void {
    this.#line.say(text, {
      sound: (bytes) => {
        if (!this.#socket.send(bytes)) this.#line.full();
      },
    });
  }

  #fail(error: unknown): void {
    const known = error instanceof ApiError ? error : null;
    const code = known?.code ?? 'internal_error';
    this.#send({ type: 'Error', description: known?.message ?? 'The text could not be synthesized.', code });
    this.#ends = true;
    this.#line.clear();
    this.#socket.close(closeCodeOf(known), code);
  }

  #warn(code: string, description: string): void {
    this.#send({ type: 'Warning', description, code });
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }
}

function readMessage(text: string): { readonly type?: unknown; readonly text?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The caller reports an invalid message.
  }
  return {};
}
