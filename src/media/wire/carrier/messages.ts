/**
 * The carriers' media-stream protocol, which Twilio published and others copy, is JSON text with numbers as strings.
 */
import Type, { type Static } from 'typebox';

/** The limit allows two seconds of audio with its envelope; carriers send 20 ms at a time. */
export const MAX_MESSAGE_BYTES = 32_768;

const Sid = Type.Optional(Type.String());

export const ConnectedMessage = Type.Object({
  event: Type.Literal('connected'),
  protocol: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
});
export const StartMessage = Type.Object({
  event: Type.Literal('start'),
  sequenceNumber: Type.Optional(Type.String()),
  streamSid: Sid,
  start: Type.Object({
    streamSid: Sid,
    accountSid: Sid,
    callSid: Sid,
    tracks: Type.Optional(Type.Array(Type.String())),
    customParameters: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'Carriers send strings; a number is accepted as its decimal string.',
      }),
    ),
    mediaFormat: Type.Optional(
      Type.Object({
        encoding: Type.String({ description: 'The encoding: audio/x-mulaw.' }),
        sampleRate: Type.Union([Type.Integer(), Type.String()]),
        channels: Type.Union([Type.Integer(), Type.String()]),
      }),
    ),
  }),
});
export const MediaMessage = Type.Object({
  event: Type.Literal('media'),
  sequenceNumber: Type.Optional(Type.String()),
  streamSid: Sid,
  media: Type.Object({
    track: Type.Optional(
      Type.String({ description: 'The track. Only `inbound` is processed; `outbound` is ignored.' }),
    ),
    chunk: Type.Optional(Type.String()),
    timestamp: Type.Optional(Type.String({ description: 'Milliseconds since the start of the stream.' })),
    payload: Type.String({ description: 'G.711 u-law audio at 8 kHz, Base64-encoded.' }),
  }),
});
export const MarkMessage = Type.Object({
  event: Type.Literal('mark'),
  mark: Type.Object({ name: Type.String() }),
});
export const DtmfMessage = Type.Object({
  event: Type.Literal('dtmf'),
  dtmf: Type.Object({ digit: Type.String() }),
});
export const StopMessage = Type.Object({ event: Type.Literal('stop') });

export const SentMedia = Type.Object({
  event: Type.Literal('media'),
  streamSid: Type.String(),
  media: Type.Object({
    payload: Type.String({ description: 'G.711 u-law audio at 8 kHz, Base64-encoded.' }),
  }),
});
export const SentMark = Type.Object({
  event: Type.Literal('mark'),
  streamSid: Type.String(),
  mark: Type.Object({ name: Type.String() }),
});
export const SentClear = Type.Object({ event: Type.Literal('clear'), streamSid: Type.String() });

export type Start = Omit<Static<typeof StartMessage>['start'], 'customParameters'> & {
  readonly customParameters?: Readonly<Record<string, string>>;
};

export type CarrierMessage =
  | { readonly event: 'start'; readonly streamSid: string | null; readonly start: Start }
  | { readonly event: 'dtmf'; readonly digit: string }
  | { readonly event: 'mark'; readonly name: string }
  /** `chunk` and `payload` are unchanged; the `track` of the phone's side is `inbound`. */
  | { readonly event: 'media'; readonly track: string; readonly chunk: number; readonly payload: string }
  | { readonly event: 'connected' | 'clear' | 'stop' | 'other' };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns null for an invalid message. Unknown events are `other`, because protocols grow. */
export function readCarrierMessage(bytes: Uint8Array): CarrierMessage | null {
  const message = parse(bytes);
  if (message === null || typeof message.event !== 'string') return null;
  switch (message.event) {
    case 'start': {
      const start = startOf(message.start);
      if (start === null) return null;
      return { event: 'start', streamSid: text(message.streamSid) ?? start.streamSid ?? null, start };
    }
    case 'dtmf':
      return { event: 'dtmf', digit: text(record(message.dtmf)?.digit) ?? '' };
    case 'mark':
      return { event: 'mark', name: text(record(message.mark)?.name) ?? '' };
    case 'media':
      return mediaOf(record(message.media));
    case 'connected':
    case 'clear':
    case 'stop':
      return { event: message.event };
    default:
      return { event: 'other' };
  }
}

const mediaOf = (media: Record<string, unknown> | null): CarrierMessage => ({
  event: 'media',
  track: text(media?.track) ?? 'inbound',
  chunk: Number(media?.chunk ?? Number.NaN),
  payload: text(media?.payload) ?? '',
});

function startOf(value: unknown): Start | null {
  const start = record(value);
  if (start === null) return null;
  // Carriers send text. Another value becomes its JSON text, so that the reader of the parameter accepts it or
  // rejects it by name.
  const parameters = Object.entries(record(start.customParameters) ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const format = record(start.mediaFormat);
  return {
    ...pick(start, 'streamSid', 'accountSid', 'callSid'),
    customParameters: Object.fromEntries(parameters),
    ...(format === null ? {} : { mediaFormat: formatOf(format) }),
  };
}

const formatOf = (format: Record<string, unknown>) => ({
  encoding: text(format.encoding) ?? '',
  sampleRate: Number(format.sampleRate),
  channels: Number(format.channels ?? 1),
});

function pick<Name extends string>(
  value: Record<string, unknown>,
  ...names: Name[]
): { [name in Name]?: string } {
  const picked: { [name in Name]?: string } = {};
  for (const name of names) {
    const said = text(value[name]);
    if (said !== undefined) picked[name] = said;
  }
  return picked;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

function parse(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    return record(JSON.parse(utf8.decode(bytes)));
  } catch {
    return null;
  }
}
