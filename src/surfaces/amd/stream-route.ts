import type { Presented, Principal, Requirement } from '../../access/contract.ts';
import { presentedCredential } from '../../access/index.ts';
import { amd, carrier } from '../../media/index.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../../server/surface.ts';
import { type StreamDeps, StreamSession } from './stream-session.ts';

const SCOPE = 'amd:detect';
const DETECT: Requirement = { kind: 'key', scope: SCOPE };

/** A carrier cannot send headers, so a credential may come with the upgrade or in `start`: the route checks both itself. */
export const streamRoute = (deps: StreamDeps): SocketRoute => ({
  path: '/v1/amd/stream',
  access: { kind: 'signed' },
  maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
  messages: {
    title: 'AMD',
    scope: SCOPE,
    summary:
      'Who answered a call: the carriers’ media-stream protocol, with the scope amd:detect. The key comes with the upgrade (subprotocol, header), or as the stream parameter `api_key` within 10 s.',
    client: [
      { name: 'connected', summary: 'Ignored', schema: carrier.ConnectedMessage },
      {
        name: 'start',
        summary:
          'customParameters: api_key, aggressiveness (0..1), mode (detect, message_end, follow), language, to (E.164), MachineDetection, MachineDetectionTimeout (s), MachineDetectionSpeechThreshold, MachineDetectionSpeechEndThreshold, MachineDetectionSilenceTimeout (ms)',
        schema: carrier.StartMessage,
      },
      { name: 'media', summary: 'Audio of the called side', schema: carrier.MediaMessage },
      { name: 'mark', summary: 'Ignored', schema: carrier.MarkMessage },
      { name: 'dtmf', summary: 'Ignored', schema: carrier.DtmfMessage },
      { name: 'stop', summary: 'The call has ended', schema: carrier.StopMessage },
    ],
    server: [
      { name: 'amd', summary: 'The verdict, once', schema: amd.AmdMessage },
      { name: 'amd_message_end', summary: 'Where a message can be left', schema: amd.MessageEndMessage },
      { name: 'amd_update', summary: 'Who is on the line now, in mode follow', schema: amd.UpdateMessage },
      { name: 'error', summary: 'What went wrong; the close code follows', schema: amd.ErrorMessage },
    ],
  },
  accept: (request) => accept(deps, request),
});

async function accept(deps: StreamDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const presented = presentedBy(request);
  const principal = presentedCredential(presented) !== null ? await authorize(deps, presented) : null;
  const bare = { ...presented, authorization: undefined, apiKeyQuery: undefined, protocols: [] };
  const identify = (key: string) => authorize(deps, { ...bare, apiKeyHeader: key });
  return { open: (socket) => new StreamSession(deps, socket, principal, identify) };
}

async function authorize(deps: StreamDeps, presented: Presented): Promise<Principal> {
  return (await deps.access.authorize(presented, DETECT)).principal!;
}

function presentedBy({ headers, query, remoteAddress }: SocketRequest): Presented {
  return {
    authorization: headers.authorization,
    apiKeyHeader: headers['x-api-key'],
    apiKeyQuery: query.get('api_key') ?? undefined,
    protocols: (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim()),
    cookie: undefined,
    origin: headers.origin,
    host: headers.host,
    remoteAddress,
  };
}
