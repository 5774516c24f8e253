import {
  type CallerConnection,
  callUseOf,
  type LiveCallDeps,
  type TranscriptOffload,
} from '../../../conversation/calls/index.ts';
import type { AccessControl } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { RetentionSweep } from '../../../foundation/privacy/index.ts';
import type { Recordings } from '../../../media/recordings/index.ts';
import { omni } from '../../../media/wire/index.ts';
import type { WebRtcService } from '../../../telephony/webrtc/index.ts';
import type { AcceptedSocket, Socket, SocketRequest, Surface } from '../../server/surface.ts';
import { CallGateway } from './call-gateway.ts';
import { callRoutes, type OmniCallRoutesDeps } from './call-routes.ts';
import { OmniCallSession } from './call-session.ts';
import { ConnectQuery, readConnectQuery, sessionLabelFor } from './connect.ts';
import { errorMessage } from './error-event.ts';
import { OmniEventWriter } from './event-writer.ts';
import { recordingRoutes } from './recording-routes.ts';
import { WebRtcCalls } from './webrtc-calls.ts';
import { webrtcRoutes } from './webrtc-routes.ts';

export { omniControls } from './controls.ts';

export interface OmniDeps extends LiveCallDeps, Pick<OmniCallRoutesDeps, 'blobs' | 'transcriptLinks'> {
  readonly access: AccessControl;
  readonly transcripts: RetentionSweep;
  readonly transcriptOffload: TranscriptOffload;
  readonly recordings: Recordings;
  readonly recordingSweep: RetentionSweep;
  readonly webrtc?: WebRtcService;
}

/** The limit is two seconds of audio at 24 kHz; a slower reader would hear stale audio. */
const MAX_BUFFERED_BYTES = 96_000;
/** The limit covers audio that a slow network delays. */
const BEHIND_SECONDS = 10;

export interface OmniSurface extends Surface {
  readonly gateway: CallGateway;
  readonly peers: WebRtcCalls | null;
}

export function createOmniSurface(deps: OmniDeps): OmniSurface {
  const peers = deps.webrtc && new WebRtcCalls({ ...deps, webrtc: deps.webrtc });
  return {
    name: 'omni',
    gateway: new CallGateway(deps),
    peers: peers ?? null,
    routes: (app) => {
      callRoutes(app, deps);
      recordingRoutes(app, deps.recordings);
      if (peers) webrtcRoutes(app, peers);
    },
    parts: () => (peers ? [peers.health()] : []),
    sockets: [
      {
        path: '/v1/omni',
        access: { kind: 'key', scope: 'omni:session', browser: true },
        maxFrameBytes: omni.MAX_FRAME_BYTES,
        maxBufferedBytes: MAX_BUFFERED_BYTES,
        maxReadLagSeconds: BEHIND_SECONDS,
        messages: {
          title: 'Omni',
          summary:
            'Full-duplex voice agent. Binary frames: 0x01 PCM16 audio, 0x02 transcripts, 0x03 JSON control messages.',
          description:
            'Every frame is binary, and its first byte is its type; text frames are rejected with close code 1008. Send `configure` first. The control message `end` ends the call; in the Hear stream, in contrast, `end` is ignored and `close` ends the stream.',
          query: ConnectQuery,
          client: [
            { name: 'audio', summary: 'PCM16 audio of the caller after the byte 0x01', tag: omni.AUDIO_TAG },
            ...Object.entries(omni.CLIENT_MESSAGES).map(([name, schema]) => ({
              name,
              summary: `The control message \`${name}\` as JSON after the byte 0x03`,
              schema,
              tag: omni.CONTROL_TAG,
            })),
          ],
          server: [
            {
              name: 'audio',
              summary:
                'PCM16 audio of the agent after the byte 0x01, in frames of 20 ms, sent at most 60 ms ahead of playout',
              tag: omni.AUDIO_TAG,
            },
            {
              name: 'transcript',
              summary: 'A transcript entry of the caller or the agent as JSON after the byte 0x02',
              schema: omni.ServerTranscript,
              tag: omni.TRANSCRIPT_TAG,
            },
            ...Object.entries(omni.SERVER_EVENTS).map(([name, schema]) => ({
              name,
              summary: `The control message \`${name}\` as JSON after the byte 0x03`,
              schema,
              tag: omni.CONTROL_TAG,
            })),
          ],
        },
        accept: (request) => accept(deps, request),
        refuse: (error) => (TRANSIENT_STATUSES.has(error.status) ? rejectionSocket(error) : null),
      },
    ],
    start: async () => {
      deps.calls.start();
      deps.transcripts.start();
      deps.transcriptOffload.start();
      deps.recordings.start();
      deps.recordingSweep.start();
    },
    stop: async (deadlineMs) => {
      deps.transcripts.stop();
      await Promise.all([peers?.stop(deadlineMs), deps.calls.stop(deadlineMs)]);
      await Promise.all([deps.recordings.stop(), deps.recordingSweep.stop(), deps.transcriptOffload.stop()]);
    },
  };
}

async function accept(deps: OmniDeps, request: SocketRequest): Promise<AcceptedSocket> {
  const asked = readConnectQuery(request.query);
  const { principal } = request;
  if (principal === null) throw new ApiError('missing_api_key', 'no credential was sent');
  const connect = { ...asked, sessionLabel: sessionLabelFor(principal, asked.sessionLabel) };
  const admission = await deps.access.admit(principal, callUseOf(principal), { realtime: true });
  const notBegun = () => {
    deps.access
      .restore(principal)
      .catch((err: unknown) =>
        deps.log.error({ err }, 'a browser token could not be released after its session failed to open'),
      );
  };
  return {
    open: (socket) =>
      openCall(
        deps,
        {
          callId: newId('ocl'),
          principal,
          admission,
          ...connect,
          hearsKeys: true,
          resumable: true,
          onNotBegun: notBegun,
        },
        socket,
      ),
    abandon: () => {
      admission.release();
      notBegun();
    },
  };
}

const openCall = (deps: OmniDeps, caller: CallerConnection, socket: Socket): OmniCallSession =>
  new OmniCallSession(deps, caller, new OmniEventWriter(socket, caller.callId, caller.rate));

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([402, 429, 503]);
const LIMITED = 4429;
const TRY_LATER = 1013;

/** A browser cannot read an HTTP rejection of an upgrade, so temporary errors are sent on the open socket. */
function rejectionSocket(error: ApiError): AcceptedSocket {
  const code = error.status === 503 ? TRY_LATER : LIMITED;
  return {
    open: (socket: Socket) => {
      socket.send(omni.controlFrame(errorMessage(error.code, error.message, error.param, error.node)));
      socket.close(code, error.code);
      return { onMessage: () => undefined, onClosed: () => undefined };
    },
  };
}
