import Type, { type TSchema } from 'typebox';
import { carrier } from '../../../media/wire/index.ts';
import type { PendingStreams } from '../../../telephony/carriers/index.ts';
import type { SocketMessage, SocketMessages, SocketRoute } from '../../server/surface.ts';

export const mediaStreamMessages = (title: string, summary: string): SocketMessages => ({
  title,
  summary,
  client: [
    { name: 'connected', summary: 'Ignored', schema: carrier.ConnectedMessage },
    { name: 'start', summary: 'Start of the call, with its parameters', schema: carrier.StartMessage },
    { name: 'media', summary: 'Audio of the other party', schema: carrier.MediaMessage },
    { name: 'mark', summary: 'Sent when the audio before the mark was played', schema: carrier.MarkMessage },
    { name: 'dtmf', summary: 'A digit that the other party pressed', schema: carrier.DtmfMessage },
    { name: 'stop', summary: 'The call has ended', schema: carrier.StopMessage },
  ],
  server: [
    {
      name: 'media',
      summary: 'Audio for the other party, at most 200 ms ahead of playout',
      schema: carrier.SentMedia,
    },
    { name: 'mark', summary: 'Returned when the audio before it was played', schema: carrier.SentMark },
    { name: 'clear', summary: 'Discard the audio that was not played yet', schema: carrier.SentClear },
  ],
});

const event = (name: string, more: Record<string, TSchema> = {}): TSchema =>
  Type.Object({ event: Type.Literal(name), ...more });
const command = (name: string, more: Record<string, TSchema> = {}): TSchema =>
  Type.Object({ command: Type.Literal(name), ...more });

export const asteriskMessages: SocketMessages = {
  title: 'Streams of your own Asterisk',
  summary:
    'Connects an agent to a channel of your own Asterisk server, which dials with `chan_websocket` and `c(ulaw)`. The query contains `agent_id`, `api_key` and `from`; all other parameters become variables of the agent. Needs the scope omni:session.',
  description:
    'Binary frames are G.711 u-law at 8 kHz in both directions. Control messages are text: JSON as shown, or the plain lines of older versions; the server answers in the format of `MEDIA_START`.',
  query: Type.Object({
    agent_id: Type.String(),
    api_key: Type.Optional(
      Type.String({ description: 'The API key, if the WebSocket upgrade has no other credential.' }),
    ),
    from: Type.Optional(Type.String({ description: 'The phone number of the caller.' })),
  }),
  client: [
    {
      name: 'media_start',
      summary: 'Sent first, with the channel',
      schema: event('MEDIA_START', {
        channel_id: Type.Optional(Type.String()),
        format: Type.Literal('ulaw'),
        optimal_frame_size: Type.Optional(Type.Integer()),
      }),
    },
    { name: 'sound', summary: 'Audio of the other party', contentType: 'application/octet-stream' },
    {
      name: 'dtmf_end',
      summary: 'A digit that the other party pressed',
      schema: event('DTMF_END', { digit: Type.String() }),
    },
    {
      name: 'media_mark_processed',
      summary: 'Sent when the audio before the mark was played',
      schema: event('MEDIA_MARK_PROCESSED', { correlation_id: Type.String() }),
    },
  ],
  server: [
    { name: 'answer', summary: 'Answer the channel', schema: command('ANSWER') },
    {
      name: 'speech',
      summary: 'Audio for the other party, at most 200 ms ahead of playout',
      contentType: 'application/octet-stream',
    },
    {
      name: 'mark_media',
      summary: 'Returned when the audio before it was played',
      schema: command('MARK_MEDIA', { correlation_id: Type.String() }),
    },
    {
      name: 'flush_media',
      summary: 'Discard the audio that was not played yet',
      schema: command('FLUSH_MEDIA'),
    },
    { name: 'hangup', summary: 'End the call', schema: command('HANGUP') },
  ],
};

const open = { additionalProperties: true } as const;
const other = (field: string, name: string, more: Record<string, TSchema> = {}): TSchema =>
  Type.Object({ [field]: Type.Literal(name), ...more }, open);
const Sound = Type.Object({ payload: Type.String({ description: 'Base64-encoded audio.' }) }, open);
const Key = Type.Object({ digit: Type.String() }, open);

const QUERY = Type.Object(
  {
    agent_id: Type.Optional(Type.String()),
    api_key: Type.Optional(
      Type.String({ description: 'The API key, if the WebSocket upgrade has no other credential.' }),
    ),
    from: Type.Optional(Type.String({ description: 'The phone number of the caller.' })),
  },
  open,
);

/** `parameters` describes where the protocol carries them, besides the URL. */
const ofCarrier = (
  name: string,
  format: string,
  parameters: string,
  client: SocketMessages['client'],
  server: SocketMessages['server'],
): SocketMessages => ({
  title: `Streams of your own ${name} account`,
  summary: `Connects an agent to a media stream of your own ${name} account.`,
  description: `The query, or ${parameters}, contains \`agent_id\`, \`api_key\` and \`from\`; all other parameters become variables of the agent. Needs the scope omni:session. The audio format is ${format}.`,
  query: QUERY,
  client,
  server,
});

const START: SocketMessage = {
  name: 'start',
  summary: 'Start of the call',
  schema: other('event', 'start', { start: Type.Object({}, open) }),
};
const MEDIA: SocketMessage = {
  name: 'media',
  summary: 'Audio of the caller',
  schema: other('event', 'media', { media: Sound }),
};
const SPEECH: SocketMessage = { ...MEDIA, summary: 'Audio for the caller' };
const DTMF: SocketMessage = {
  name: 'dtmf',
  summary: 'A digit that the caller pressed',
  schema: other('event', 'dtmf', { dtmf: Key }),
};
const STOP: SocketMessage = { name: 'stop', summary: 'The call has ended', schema: other('event', 'stop') };
const mark = (name: string): SocketMessage => ({
  name,
  summary: 'Sent when the audio before the mark was played',
  schema: other('event', name),
});
const marking = (sent: string, clear: string): SocketMessage[] => [
  { ...mark(sent), summary: 'Returned when the audio before it was played' },
  { name: clear, summary: 'Discard the audio that was not played yet', schema: other('event', clear) },
];

export const carrierStreamMessages = {
  telnyx: ofCarrier(
    'Telnyx',
    'PCMU or PCMA at 8 kHz, the same in both directions',
    '`custom_parameters` of the start',
    [START, MEDIA, mark('mark'), DTMF, STOP],
    [SPEECH, ...marking('mark', 'clear')],
  ),
  plivo: ofCarrier(
    'Plivo',
    'audio/x-mulaw at 8 kHz',
    '`extraHeaders` of the stream',
    [START, MEDIA, mark('playedStream'), DTMF, STOP],
    [
      {
        name: 'playAudio',
        summary: 'Audio for the caller',
        schema: other('event', 'playAudio', { media: Sound }),
      },
      ...marking('checkpoint', 'clearAudio'),
    ],
  ),
  exotel: ofCarrier(
    'Exotel',
    'PCM16 at 8 kHz',
    '`custom_parameters` of the start',
    [START, MEDIA, mark('mark'), DTMF, STOP],
    [SPEECH, ...marking('mark', 'clear')],
  ),
  vonage: ofCarrier(
    'Vonage',
    'PCM16 at 8 kHz (`audio/l16;rate=8000`), in binary frames',
    '`headers` of the endpoint',
    [
      {
        name: 'connected',
        summary: 'Sent first, with the call',
        schema: other('event', 'websocket:connected'),
      },
      { name: 'sound', summary: 'Audio of the caller', contentType: 'application/octet-stream' },
      {
        name: 'dtmf',
        summary: 'A digit that the caller pressed',
        schema: other('event', 'websocket:dtmf', { digit: Type.String() }),
      },
      {
        name: 'notify',
        summary: 'Sent when the audio before it was played',
        schema: other('event', 'websocket:notify'),
      },
    ],
    [
      { name: 'speech', summary: 'Audio for the caller', contentType: 'application/octet-stream' },
      {
        name: 'notify',
        summary: 'Returned when the audio before it was played',
        schema: other('action', 'notify'),
      },
      {
        name: 'clear',
        summary: 'Discard the audio that was not played yet',
        schema: other('action', 'clear'),
      },
    ],
  ),
} as const;

export const managedStreamRoute = (path: string, dock: PendingStreams): SocketRoute => ({
  path,
  access: { kind: 'signed' },
  maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
  messages: mediaStreamMessages(
    'Streams of managed calls',
    'Audio of a call that this server manages. Only the carrier of the call can open it, with the token of the call.',
  ),
  accept: async () => ({ open: (socket) => dock.open(socket) }),
});
