import { join } from 'node:path';
import type { Surface } from '../edge/server/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { wavHeader } from '../media/codec/index.ts';
import {
  audioKey,
  findResult,
  PLAIN_REQUEST,
  type Transcript,
  TranscriptionCompleted,
  TranscriptionFailed,
  type TranscriptionJobs,
  transcriptionReservationId,
} from '../speech/transcription/index.ts';
import {
  type TelephonyCallStore,
  VoicemailDrops,
  VoicemailIntake,
  Voicemails,
  type VoicemailTranscriber,
  voicemailSweep,
} from '../telephony/dialling/index.ts';
import type { CoreServices } from './main.ts';

export interface VoicemailNeeds {
  readonly records: TelephonyCallStore;
  readonly webhooks: Webhooks;
  readonly jobs: () => TranscriptionJobs;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly onError: (error: unknown) => void;
}

const FORMAT = { sampleRate: 8000, sample: 's16' } as const;
const wavOf = (channels: 1 | 2) => (pcm: Buffer) =>
  Buffer.concat([wavHeader({ ...FORMAT, channels }, pcm.length), pcm]);

export function voicemailParts(
  services: CoreServices,
  { records, webhooks, jobs, retention, onError }: VoicemailNeeds,
) {
  const { config, storage, blobs, sharedClock: clock, background } = services;
  const voicemails = new Voicemails({
    storage,
    blobs,
    clock,
    records,
    webhooks,
    hearing: hearingBy(services, jobs),
    wavOf: wavOf(1),
  });
  services.events.subscribe(TranscriptionCompleted, (trx, row) => voicemails.transcribed(trx, row.id));
  services.events.subscribe(TranscriptionFailed, (trx, row) =>
    voicemails.transcriptionFailed(trx, row.id, row.error ?? ''),
  );
  const messages = new VoicemailIntake({
    storage,
    clock,
    background,
    folder: join(config.data, 'voicemails'),
    voicemails,
    standings: services.access.impliedPrincipals,
    onError,
  });
  const drops = new VoicemailDrops({ storage, blobs, clock, wavOf: wavOf(2), onError });
  const sweep = voicemailSweep({ storage, blobs, clock, background, retention }, voicemails, drops);
  const surface: Surface = {
    name: 'voicemails',
    start: async () => {
      await messages.start();
      sweep.start();
    },
    stop: async () => {
      await messages.stop();
      await sweep.stop();
    },
  };
  return { voicemails, messages, drops, surface };
}

const hearingBy = ({ access, blobs }: CoreServices, jobs: () => TranscriptionJobs): VoicemailTranscriber => ({
  submit: async ({ principal, from, wav, milliseconds, keep }) => {
    const id = jobs().newId();
    const admission = await access.admit(principal, 'hear.job', {
      realtime: false,
      milliseconds,
      reservationId: transcriptionReservationId(id),
      resource: id,
    });
    try {
      await blobs.put(audioKey(id), [wav], { payer: { ...principal, bytes: wav.length } });
      await jobs().submit({
        id,
        principal,
        admission,
        request: PLAIN_REQUEST,
        audioUrl: null,
        webhookUrl: null,
        externalId: from,
        idempotencyKey: null,
        keep: (trx) => keep(trx, id),
      });
    } catch (error) {
      await blobs.delete(audioKey(id));
      throw error;
    } finally {
      await admission.release();
    }
  },
  forget: async (scope, id) => {
    const job = await jobs()
      .get(scope, id)
      .catch(() => null);
    if (job !== null) await jobs().remove(scope, id);
  },
  text: async (trx, scope, id) => {
    const document = await findResult(trx, scope, id);
    return document === null ? '' : (JSON.parse(document) as Transcript).text;
  },
});
