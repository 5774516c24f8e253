import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { RunningJob } from '../../../foundation/jobs/index.ts';
import type { Blobs, Storage } from '../../../foundation/storage/index.ts';
import type { DubJobRow } from '../../../foundation/storage/tables/dub.ts';
import type { AudioDecoder } from '../../../media/codec/index.ts';
import type { Engine } from '../../../media/engine/index.ts';
import type { Recognizer, SpeakerEmbedder, SpooledAudio } from '../../../speech/transcription/index.ts';
import type { VoiceCatalogue } from '../../../speech/voices/index.ts';
import { updateDub } from '../store.ts';
import type { TranslationDirections } from '../translators/index.ts';
import type { DubVoices } from '../voices/index.ts';

export interface DubStepDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly engine: Engine;
  readonly decoder: AudioDecoder;
  /** The path is null where ffmpeg is missing; videos then wait. */
  readonly ffmpeg: string | null;
  readonly temporary: string;
  readonly recognizer: Recognizer;
  readonly voiceReader: SpeakerEmbedder;
  readonly catalogue: VoiceCatalogue;
  readonly voices: DubVoices;
  readonly directions: TranslationDirections;
}

export interface DubStep {
  readonly deps: DubStepDeps;
  readonly job: RunningJob;
  readonly row: DubJobRow;
  readonly scope: TenantScope;
  readonly audio: SpooledAudio;
  readonly signal: AbortSignal;
}

/** The progress at the end of each step. */
export const PROGRESS = { heard: 0.35, translated: 0.5, spoken: 0.9 } as const;

export const between = (from: number, to: number, share: number): number =>
  from + (to - from) * Math.min(1, share);
export const thousandths = (progress: number): number => Math.round(Math.min(1, progress) * 1000);

/** Publishes the progress; unlike a checkpoint it does not reset the count of failed attempts. */
export async function publishProgress(
  { deps, row, scope }: DubStep,
  change: Parameters<typeof updateDub>[3],
): Promise<void> {
  await deps.storage.transaction(async (trx) => void (await updateDub(trx, scope, row.id, change)));
}
