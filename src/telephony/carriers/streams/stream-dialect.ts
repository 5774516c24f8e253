/** Translates the media streams of other carriers into the messages of Twilio's protocol, which most copy. */
import { convertAudio, type WireFormat } from '../../../media/engine/index.ts';
import { carrier } from '../../../media/wire/index.ts';

export type StreamMessage =
  | {
      readonly event: 'start';
      readonly streamSid: string;
      readonly callSid: string | null;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly event: 'unusable'; readonly reason: string }
  | { readonly event: 'media'; readonly chunk: number; readonly frame: Uint8Array }
  | { readonly event: 'dtmf'; readonly digit: string }
  | { readonly event: 'mark'; readonly name: string }
  | { readonly event: 'stop' }
  | { readonly event: 'other' };

export interface StreamDialect {
  /** Returns null for data that is no message of the protocol. */
  read(data: Uint8Array, isBinary: boolean): StreamMessage | null;
  media(streamSid: string, frames: Uint8Array): string | Uint8Array;
  clear(streamSid: string): string;
  mark(streamSid: string, name: string): string;
  /** Marks that are pending when the audio is cleared never come back. */
  readonly forgetsMarks: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const OTHER: StreamMessage = { event: 'other' };
const ULAW_ONLY = 'start.mediaFormat must be audio/x-mulaw at 8000 Hz';
const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** A parameter that is no text becomes its JSON text. */
const parametersOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([name, one]) => [
      name,
      typeof one === 'string' ? one : JSON.stringify(one),
    ]),
  );

const withNumbers = (start: Fields, parameters: Record<string, string>): Record<string, string> => ({
  ...(text(start.from) && { from: text(start.from) }),
  ...parameters,
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

function json(data: Uint8Array): Fields | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(data));
    const fields = fieldsOf(value);
    return typeof fields.event === 'string' ? fields : null;
  } catch {
    return null;
  }
}

function common(message: Fields): StreamMessage {
  if (message.event === 'dtmf') return { event: 'dtmf', digit: text(fieldsOf(message.dtmf).digit) };
  if (message.event === 'mark') return { event: 'mark', name: text(fieldsOf(message.mark).name) };
  return message.event === 'stop' ? { event: 'stop' } : OTHER;
}

const mediaOf = (media: Fields, ulawOf: (bytes: Buffer) => Uint8Array): StreamMessage =>
  text(media.track) === '' || text(media.track) === 'inbound'
    ? {
        event: 'media',
        chunk: Number(media.chunk ?? Number.NaN),
        frame: ulawOf(Buffer.from(text(media.payload), 'base64')),
      }
    : OTHER;

/** Twilio publishes this protocol, and others copy it. */
export const twilioDialect = (): StreamDialect => ({
  forgetsMarks: false,
  read(data, isBinary) {
    const message = isBinary ? null : carrier.readCarrierMessage(data);
    if (message === null) return null;
    if (message.event === 'media')
      return message.track === 'inbound'
        ? { event: 'media', chunk: message.chunk, frame: Buffer.from(message.payload, 'base64') }
        : OTHER;
    if (message.event === 'start') {
      const { mediaFormat, callSid = null, customParameters: parameters = {} } = message.start;
      const { encoding = 'audio/x-mulaw', sampleRate = 8000 } = mediaFormat ?? {};
      if (encoding !== 'audio/x-mulaw' || Number(sampleRate) !== 8000)
        return { event: 'unusable', reason: ULAW_ONLY };
      return { event: 'start', streamSid: message.streamSid ?? '', callSid, parameters };
    }
    if (message.event === 'dtmf' || message.event === 'mark') return message;
    return message.event === 'stop' ? { event: 'stop' } : OTHER;
  },
  media: (streamSid, frames) =>
    JSON.stringify({ event: 'media', media: { payload: base64(frames) }, streamSid }),
  clear: (streamSid) => JSON.stringify({ event: 'clear', streamSid }),
  mark: (streamSid, name) => JSON.stringify({ event: 'mark', mark: { name }, streamSid }),
});

/** Telnyx writes names in snake case, and carries PCMU or PCMA both ways. */
export function telnyxDialect(): StreamDialect {
  let codec: WireFormat = 'pcmu';
  const recode = (from: WireFormat, to: WireFormat, bytes: Uint8Array): Uint8Array =>
    from === to ? bytes : convertAudio(from, bytes, to);
  return {
    forgetsMarks: false,
    read(data, isBinary) {
      const message = isBinary ? null : json(data);
      if (message === null) return null;
      if (message.event === 'media')
        return mediaOf(fieldsOf(message.media), (bytes) => recode(codec, 'pcmu', bytes));
      if (message.event !== 'start') return common(message);
      const start = fieldsOf(message.start);
      const { encoding = 'PCMU', sample_rate: rate = 8000 } = fieldsOf(start.media_format);
      const named = ({ PCMU: 'pcmu', PCMA: 'pcma' } as const)[text(encoding)];
      if (named === undefined || Number(rate) !== 8000)
        return { event: 'unusable', reason: 'start.media_format must be PCMU or PCMA at 8000 Hz' };
      codec = named;
      return {
        event: 'start',
        streamSid: text(message.stream_id),
        callSid: text(start.call_control_id) || null,
        parameters: withNumbers(start, parametersOf(start.custom_parameters)),
      };
    },
    media: (_, frames) =>
      JSON.stringify({ event: 'media', media: { payload: base64(recode('pcmu', codec, frames)) } }),
    clear: () => JSON.stringify({ event: 'clear' }),
    mark: (_, name) => JSON.stringify({ event: 'mark', mark: { name } }),
  };
}

/** Plivo has `playAudio`, `clearAudio`, and checkpoints instead of marks. */
export const plivoDialect = (): StreamDialect => ({
  forgetsMarks: true,
  read(data, isBinary) {
    const message = isBinary ? null : json(data);
    if (message === null) return null;
    if (message.event === 'media') return mediaOf(fieldsOf(message.media), (bytes) => bytes);
    if (message.event === 'playedStream') return { event: 'mark', name: text(message.name) };
    if (message.event !== 'start') return common(message);
    const start = fieldsOf(message.start);
    const { encoding = 'audio/x-mulaw', sampleRate = 8000 } = fieldsOf(start.mediaFormat);
    if (encoding !== 'audio/x-mulaw' || Number(sampleRate) !== 8000)
      return { event: 'unusable', reason: ULAW_ONLY };
    return {
      event: 'start',
      streamSid: text(start.streamId),
      callSid: text(start.callId) || null,
      parameters: withNumbers(start, extraHeaders(message.extra_headers ?? start.extra_headers)),
    };
  },
  media: (streamId, frames) =>
    JSON.stringify({
      event: 'playAudio',
      media: { contentType: 'audio/x-mulaw', sampleRate: 8000, payload: base64(frames) },
      streamId,
    }),
  clear: (streamId) => JSON.stringify({ event: 'clearAudio', streamId }),
  mark: (streamId, name) => JSON.stringify({ event: 'checkpoint', streamId, name }),
});

/** Plivo sends the headers as JSON in a string, and may prefix their names. */
function extraHeaders(value: unknown): Record<string, string> {
  let read = value;
  try {
    if (typeof value === 'string') read = JSON.parse(value);
  } catch {
    return {};
  }
  return Object.fromEntries(
    Object.entries(parametersOf(read)).map(([name, one]) => [name.replace(/^X-PH-/i, ''), one]),
  );
}

const ulawOfPcm = (pcm: Buffer): Uint8Array => convertAudio('pcm16', pcm, 'pcmu');
const pcmOfUlaw = (frames: Uint8Array): Buffer => convertAudio('pcmu', frames, 'pcm16');

/** Exotel sends Twilio’s messages in snake case, with PCM16 at 8 kHz. */
export const exotelDialect = (): StreamDialect => ({
  forgetsMarks: true,
  read(data, isBinary) {
    const message = isBinary ? null : json(data);
    if (message === null) return null;
    if (message.event === 'media') return mediaOf(fieldsOf(message.media), ulawOfPcm);
    if (message.event !== 'start') return common(message);
    const start = fieldsOf(message.start);
    const { sample_rate: rate = 8000 } = fieldsOf(start.media_format);
    if (Number(rate) !== 8000)
      return {
        event: 'unusable',
        reason: 'start.media_format must be PCM16 at 8000 Hz: add sample-rate=8000 to the URL',
      };
    return {
      event: 'start',
      streamSid: text(message.stream_sid) || text(start.stream_sid),
      callSid: text(start.call_sid) || null,
      parameters: withNumbers(start, parametersOf(start.custom_parameters)),
    };
  },
  media: (stream_sid, frames) =>
    JSON.stringify({ event: 'media', stream_sid, media: { payload: base64(pcmOfUlaw(frames)) } }),
  clear: (stream_sid) => JSON.stringify({ event: 'clear', stream_sid }),
  mark: (stream_sid, name) => JSON.stringify({ event: 'mark', stream_sid, mark: { name } }),
});

/** Vonage sends sound as binary PCM16 frames and control as JSON. The headers of its endpoint are fields of the first message. */
export function vonageDialect(): StreamDialect {
  let chunk = 0;
  return {
    forgetsMarks: true,
    read(data, isBinary) {
      if (isBinary)
        return {
          event: 'media',
          chunk: ++chunk,
          frame: convertAudio('pcm16', data, 'pcmu'),
        };
      const message = json(data);
      if (message === null) return null;
      if (message.event === 'websocket:dtmf') return { event: 'dtmf', digit: text(message.digit) };
      if (message.event === 'websocket:notify')
        return { event: 'mark', name: text(fieldsOf(message.payload).name) };
      if (message.event !== 'websocket:connected') return OTHER;
      const { event: _, 'content-type': type = 'audio/l16;rate=8000', ...headers } = message;
      if (!/^audio\/l16;\s*rate=8000$/i.test(text(type)))
        return { event: 'unusable', reason: 'content-type must be audio/l16;rate=8000' };
      return { event: 'start', streamSid: '', callSid: null, parameters: parametersOf(headers) };
    },
    media: (_, frames) => pcmOfUlaw(frames),
    clear: () => JSON.stringify({ action: 'clear' }),
    mark: (_, name) => JSON.stringify({ action: 'notify', payload: { name } }),
  };
}
