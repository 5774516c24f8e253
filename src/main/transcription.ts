import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import { deadline } from '../foundation/platform/deadline.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import type { AudioDecoder } from '../media/codec/index.ts';
import type { EncoderSource, Engine } from '../media/engine/index.ts';
import type { Recognizers } from '../speech/added-models/index.ts';
import { engineRecognizer, engineVoices, TranscriptionService } from '../speech/transcription/index.ts';
import type { CoreServices } from './main.ts';

interface TranscriptionNeeds {
  readonly decoder: AudioDecoder;
  readonly gate: UrlGate;
  readonly webhooks: Webhooks;
  readonly queue: JobQueue;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly recognizers: Recognizers;
  readonly encoders: EncoderSource;
  readonly onError: (error: unknown) => void;
}

const TRANSCRIPTIONS_AT_ONCE = Math.max(2, Math.floor(availableParallelism() / 2));

/** A trial's file waits at most this long for live work to end. */
const TRIALS_WAIT_MS = 5_000;

/** Background transcription processes half as many files at once as there are cores. */
export const openTranscription = (
  { access, storage, events, blobs, billing, clock, background, config }: CoreServices,
  engine: Engine,
  needs: TranscriptionNeeds,
): TranscriptionService =>
  new TranscriptionService({
    ...needs,
    access,
    storage,
    blobs,
    billing,
    clock,
    background,
    recognizer: engineRecognizer(engine, needs.recognizers.choose),
    voices: engineVoices(engine, needs.encoders),
    liveAtRest: (signal) => engine.work.whenLiveIdle(deadline(TRIALS_WAIT_MS, signal)),
    spoolFolder: join(config.data, 'spool'),
    concurrency: TRANSCRIPTIONS_AT_ONCE,
    events,
  });
