import { amd, carrier } from '../../../media/wire/index.ts';
import type { SocketRoute } from '../../server/surface.ts';
import { StreamQuery } from './parameters.ts';
import { type AmdStreamDeps, AmdStreamSession } from './stream-session.ts';

/** A carrier cannot send headers, so a credential may come with the upgrade or in `start`. */
export const amdStreamRoute = (deps: AmdStreamDeps): SocketRoute => ({
  path: '/v1/amd/stream',
  access: { kind: 'signed' },
  keyScope: 'amd:detect',
  maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
  messages: {
    query: StreamQuery,
    title: 'AMD',
    summary:
      'Answering-machine detection over the carriers’ media-stream protocol; needs the scope amd:detect. Send the API key with the WebSocket upgrade (subprotocol or header), or as the stream parameter `api_key` within 10 s.',
    client: [
      { name: 'connected', summary: 'Ignored', schema: carrier.ConnectedMessage },
      {
        name: 'start',
        summary:
          'Start of the stream. customParameters holds api_key and the query parameters: aggressiveness (0..1), mode (detect, message_end, follow), language, to (E.164), MachineDetection, MachineDetectionTimeout (s), MachineDetectionSpeechThreshold, MachineDetectionSpeechEndThreshold, MachineDetectionSilenceTimeout (ms)',
        schema: carrier.StartMessage,
      },
      { name: 'media', summary: 'Audio of the called party', schema: carrier.MediaMessage },
      { name: 'mark', summary: 'Ignored', schema: carrier.MarkMessage },
      { name: 'dtmf', summary: 'Ignored', schema: carrier.DtmfMessage },
      { name: 'stop', summary: 'The call has ended', schema: carrier.StopMessage },
    ],
    server: [
      { name: 'amd', summary: 'The verdict; sent once', schema: amd.AmdMessage },
      {
        name: 'amd_message_end',
        summary: 'The greeting has ended, and a message can be left',
        schema: amd.MessageEndMessage,
      },
      {
        name: 'amd_update',
        summary: 'Who is on the line now; sent in mode follow',
        schema: amd.UpdateMessage,
      },
      { name: 'error', summary: 'An error; a close frame follows', schema: amd.ErrorMessage },
    ],
  },
  accept: (request) => ({ open: (socket) => new AmdStreamSession(deps, socket, request) }),
});
