import type { AccessControl, Principal } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import type { Billing } from '../../../foundation/billing/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import {
  type ChooseRecognizer,
  chosenRecognizer,
  type HearEvent,
  type HearLaneRate,
  hearLane,
  type Lane,
  type LaneQueue,
  laneTenantOf,
  type StatusName,
} from '../../../media/engine/index.ts';
import { hear } from '../../../media/wire/index.ts';
import type { VocabularyStore } from '../../../speech/transcription/index.ts';
import type { AcceptedSocket, Socket, SocketRequest, SocketRoute } from '../../server/surface.ts';
import { StreamMeter } from './stream-meter.ts';
import { readStreamQuery, StreamQuery, type StreamSettings } from './stream-query.ts';
import { HearStreamSession } from './stream-session.ts';

export interface HearStreamDeps {
  readonly access: AccessControl;
  readonly lanes: Pick<LaneQueue, 'open'>;
  readonly billing: Billing;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly vocabulary: VocabularyStore;
  readonly chooseRecognizer?: ChooseRecognizer | undefined;
}

/**
 * Selects the partial results to produce. Interim words cost CPU time and are produced on request only. Stable words
 * bind the final, and are committed on request only.
 */
export interface PartialOptions {
  readonly partials: boolean;
  readonly stable: boolean;
  /** Clients of other vendors fix the rate; the query decides when this is absent. */
  readonly rate?: HearLaneRate;
}

export interface HearStreamRoute extends SocketRoute {
  accept(request: SocketRequest, reading?: PartialOptions): Promise<AcceptedSocket>;
}

export const hearStreamRoute = (deps: HearStreamDeps): HearStreamRoute => ({
  path: '/v1/audio/transcriptions/stream',
  access: { kind: 'key', scope: 'hear:stream' },
  maxFrameBytes: hear.MAX_FRAME_BYTES,
  messages: {
    title: 'Hear, live',
    summary:
      'Streaming speech recognition. Binary frames carry PCM16 little-endian audio, and text frames carry JSON with a type.',
    description:
      'Send audio as binary frames and control messages as text. A `final` is sent at least every 15 s of audio; if nobody spoke, its `text` is empty. Store only finals that have text: a `speech_final` contains the same utterance, sent earlier. `close` ends the stream; `end`, which ends a call in Omni, is ignored here. The stream closes with 1000 after 30 s without audio and keepalive, or after 120 s without audio.',
    query: StreamQuery,
    client: [
      {
        name: 'audio',
        summary: `PCM16 little-endian, one channel, at sample_rate. A frame of more than ${hear.MAX_FRAME_BYTES} bytes causes an error and close 1009`,
      },
      {
        name: 'commit',
        summary: 'End the current utterance immediately; a final follows',
        schema: hear.CommitMessage,
      },
      {
        name: 'keepalive',
        summary: 'Keep the stream open while no audio is sent',
        schema: hear.KeepaliveMessage,
      },
      {
        name: 'close',
        summary: 'End the stream; the server sends the last final and usage, then closes with 1000',
        schema: hear.CloseMessage,
      },
      { name: 'end', summary: 'Ignored', schema: hear.EndMessage },
      {
        name: 'config',
        summary:
          'Not supported; the server sends an `error` with `grounding_unavailable`, and the stream continues',
        schema: hear.ConfigMessage,
      },
    ],
    server: [
      {
        name: 'partial',
        summary: 'An interim transcript; later frames can change it',
        schema: hear.PartialFrame,
      },
      {
        name: 'partial_stable',
        summary: 'A prefix of the transcript that later frames of the utterance do not change',
        schema: hear.PartialStableFrame,
      },
      {
        name: 'speech_final',
        summary: 'Sent at the endpoint of an utterance; if there is no text yet, as soon as there is some',
        schema: hear.SpeechFinalFrame,
      },
      {
        name: 'final',
        summary: 'The final transcript of an utterance, to be stored',
        schema: hear.FinalFrame,
      },
      {
        name: 'usage',
        summary: 'Sent after each final and at the end of the stream',
        schema: hear.UsageFrame,
      },
      {
        name: 'error',
        summary: 'Sent when an error occurs; if it ends the stream, a close frame follows',
        schema: hear.ErrorFrame,
      },
    ],
  },
  accept: (request, reading = { partials: true, stable: true }) => accept(deps, request, reading),
});

async function accept(
  deps: HearStreamDeps,
  request: SocketRequest,
  reading: PartialOptions,
): Promise<AcceptedSocket> {
  const settings = { ...readStreamQuery(request.query), ...reading };
  const principal = request.principal!;
  const admission = await deps.access.admit(principal, 'hear.stream', { realtime: true });
  try {
    const terms = await deps.vocabulary.activeTerms(tenantScopeOf(principal), 'streaming');
    const relay = new LaneListener();
    const lane = await openLane(deps, principal, settings, terms, relay);
    if (lane instanceof ApiError) return rejectionSocket(lane, () => admission.release());
    const meter = new StreamMeter(deps, principal, admission, settings.rate);
    return {
      open(socket) {
        const session = new HearStreamSession(deps, socket, lane, meter);
        relay.attach(session);
        return session;
      },
      abandon() {
        lane.drop();
        admission.release();
      },
    };
  } catch (error) {
    admission.release();
    throw error;
  }
}

/** Resolves with the error when the engine is at capacity: it follows after the upgrade. */
async function openLane(
  deps: HearStreamDeps,
  principal: Principal,
  settings: Omit<StreamSettings, 'rate'> & PartialOptions & { readonly rate: HearLaneRate },
  vocabulary: Awaited<ReturnType<VocabularyStore['activeTerms']>>,
  relay: LaneListener,
): Promise<Lane<HearEvent> | ApiError> {
  const { language, rate, endpointingMs, partials, stable } = settings;
  try {
    return await deps.lanes.open(
      hearLane,
      {
        rate,
        endpointingMs,
        partials,
        stablePartials: stable,
        vocabulary,
        ...(language ? { language } : {}),
        ...chosenRecognizer(deps.chooseRecognizer, { language, plan: principal.plan }),
      },
      { event: (event) => relay.event(event), closed: (status) => relay.closed(status) },
      laneTenantOf(principal),
    );
  } catch (error) {
    if (error instanceof ApiError && error.code === 'capacity') return error;
    throw error;
  }
}

function rejectionSocket(
  { message, type, code, param, node }: ApiError,
  release: () => void,
): AcceptedSocket {
  const error = { message, type, code, param, ...(node === null ? {} : { node }) };
  return {
    open(socket: Socket) {
      socket.send(JSON.stringify({ type: 'error', error } satisfies hear.ServerFrame));
      socket.close(1013, 'capacity');
      return { onMessage: () => undefined, onClosed: release };
    },
    abandon: release,
  };
}

/** The lane exists before the connection does, so its first events have no session. */
class LaneListener {
  #session: HearStreamSession | null = null;
  #ended: StatusName | null = null;

  attach(session: HearStreamSession): void {
    this.#session = session;
    if (this.#ended !== null) session.laneClosed(this.#ended);
  }
  event(event: HearEvent): void {
    this.#session?.heard(event);
  }
  closed(status: StatusName): void {
    this.#ended = status;
    this.#session?.laneClosed(status);
  }
}
