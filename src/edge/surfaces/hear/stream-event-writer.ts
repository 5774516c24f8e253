import { ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';
import type { HearEvent } from '../../../media/engine/index.ts';
import type { hear } from '../../../media/wire/index.ts';
import type { Socket } from '../../server/surface.ts';
import type { StreamMeter } from './stream-meter.ts';
import { UtteranceIds } from './utterance-ids.ts';

/** A reader that is this far behind gets no more partials; finals are always sent. */
const MAX_BUFFERED_FOR_PARTIALS = 64 * 1024;

export class StreamEventWriter {
  readonly #socket: Socket;
  readonly #meter: StreamMeter;
  readonly #ids = new UtteranceIds();

  constructor(socket: Socket, meter: StreamMeter) {
    this.#socket = socket;
    this.#meter = meter;
  }

  utterance(event: Exclude<HearEvent, { type: 'failed' }>): boolean {
    const { text, start, end } = event;
    const span = { utterance_id: this.#ids.of(event.utterance), text, start, end };
    switch (event.type) {
      case 'partial':
        if (this.#socket.bufferedBytes < MAX_BUFFERED_FOR_PARTIALS) this.#send({ type: 'partial', ...span });
        return false;
      case 'stable':
        this.#send({ type: 'partial_stable', ...span });
        if (text !== '') this.#meter.onFinalText(event);
        return false;
      case 'speech_final':
        this.#send({ type: 'speech_final', ...span, endpoint_reason: event.reason });
        return false;
      default:
        this.#send({ type: 'final', ...span, words: [...event.words], endpoint_reason: event.reason });
        this.#ids.over(event.utterance);
        if (text !== '') this.#meter.onFinalText(event);
        return true;
    }
  }

  usage(): void {
    const { audioSeconds, billedSeconds } = this.#meter;
    this.#send({ type: 'usage', audio_seconds: audioSeconds, billed_seconds: billedSeconds });
  }

  error(code: ErrorCode, message: string, param: string | null): void {
    this.#send({ type: 'error', error: { message, type: ERRORS[code].type, code, param } });
  }

  #send(frame: hear.ServerFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }
}
