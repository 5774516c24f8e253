import { newId } from '../../../../foundation/platform/ids.ts';
import type { Socket } from '../../../server/surface.ts';
import type { Dialect } from './settings.ts';

/** A null value: the older form has no such event. */
const OLDER: Readonly<Record<string, string | null>> = {
  'response.output_audio.delta': 'response.audio.delta',
  'response.output_audio.done': 'response.audio.done',
  'response.output_audio_transcript.delta': 'response.audio_transcript.delta',
  'response.output_audio_transcript.done': 'response.audio_transcript.done',
  'response.output_text.delta': 'response.text.delta',
  'response.output_text.done': 'response.text.done',
  'conversation.item.added': 'conversation.item.created',
  'conversation.item.done': null,
};

export class EventSink {
  readonly dialect: Dialect;
  readonly #socket: Pick<Socket, 'send'>;

  constructor(socket: Pick<Socket, 'send'>, dialect: Dialect) {
    this.#socket = socket;
    this.dialect = dialect;
  }

  emit(type: string, fields: object = {}): void {
    const name = this.dialect === 'ga' ? type : type in OLDER ? OLDER[type] : type;
    if (name == null) return;
    this.#socket.send(JSON.stringify({ type: name, event_id: newEventId(), ...fields }));
  }

  error(code: string, message: string, param: string | null = null, about: unknown = null): void {
    const error = {
      type: code === 'internal_error' ? 'server_error' : 'invalid_request_error',
      code,
      message,
      param,
      event_id: typeof about === 'string' ? about.slice(0, 128) : null,
    };
    this.emit('error', { error });
  }
}

const newEventId = (): string => `event_${newId('evt').slice(4)}`;
export const newThing = (prefix: 'item' | 'resp' | 'sess' | 'conv'): string =>
  `${prefix}_${newId('evt').slice(4)}`;
