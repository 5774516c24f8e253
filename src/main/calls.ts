import type { RetentionDays } from '../access/index.ts';
import type { Brain } from '../brain/index.ts';
import {
  type AgentRooms,
  CallStore,
  type CallWatch,
  createCallMetrics,
  createVoiceEngine,
  tellEnded,
  transcriptSweep,
} from '../calls/index.ts';
import { type LaneLine, readBargeSensitivity } from '../engine/index.ts';
import type { Rooms } from '../main.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { UrlGate } from '../platform/url-gate/index.ts';
import { type Recordings, recordingSweep } from '../recordings/index.ts';
import type { OmniDeps } from '../surfaces/omni/index.ts';
import type { CallVoices } from '../voices/index.ts';
import type { Webhooks } from '../webhooks/index.ts';
import type { afterCalls } from './after-calls.ts';

export interface CallPartsNeeds {
  readonly gate: UrlGate;
  readonly webhooks: Pick<Webhooks, 'publish' | 'signed'>;
  readonly brain: Brain;
  readonly voices: CallVoices;
  readonly agents: AgentRooms;
  readonly webrtc: NonNullable<OmniDeps['webrtc']>;
  readonly after: Awaited<ReturnType<typeof afterCalls>>;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly metrics: Metrics;
  readonly recordings: Recordings;
  readonly watch: CallWatch;
  readonly onError: (error: unknown) => void;
}

/** What live talks need, whoever carries them. */
export function callParts(
  { access, billing, config, clock, sharedClock, storage, log }: Rooms,
  lanes: LaneLine,
  {
    gate,
    webhooks,
    brain,
    voices,
    agents,
    webrtc,
    after,
    retention,
    recordings,
    metrics,
    watch,
    onError,
  }: CallPartsNeeds,
): OmniDeps {
  return {
    access,
    clock,
    log,
    gate,
    sign: (reach, body) => webhooks.signed(reach, body),
    engine: createVoiceEngine(lanes),
    metrics: createCallMetrics(metrics),
    brain,
    voices,
    agents,
    watchers: watch,
    guards: after.guards,
    webrtc,
    recordings,
    recordingSweep: recordingSweep({ storage, clock: sharedClock, retention, onError }, recordings),
    speculates: config.speculation,
    calls: new CallStore({
      storage,
      billing,
      clock: sharedClock,
      ended: async (trx, row) => {
        await tellEnded(webhooks, trx, row, sharedClock.now());
        await after.ended(trx, { ...row, kind: 'call' });
      },
      kept: after.kept,
      onError,
    }),
    transcripts: transcriptSweep({ storage, clock: sharedClock, retention, onError }),
    bargeSensitivity: readBargeSensitivity(config.bargeSensitivity),
  };
}
