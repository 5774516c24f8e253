import type { Environment } from '../../../foundation/access/contract.ts';
import type { SpeakerEmbedder, SpeakerEmbedding, Stretch } from '../contract.ts';
import type { SpooledAudio } from './spool.ts';
import type { StoredStretch } from './stretch-store.ts';

/** Audio around a stretch improves the turn boundaries of the segmentation. */
const CONTEXT_SECONDS = 0.4;

export interface StretchVoiceReading {
  readonly audio: Pick<SpooledAudio, 'read' | 'seconds'>;
  readonly embedder: SpeakerEmbedder;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export async function voicesInStretch(
  { audio, embedder, environment, signal }: StretchVoiceReading,
  channel: number,
  { start, end }: Pick<Stretch, 'start' | 'end'>,
): Promise<readonly SpeakerEmbedding[]> {
  const from = Math.max(0, start - CONTEXT_SECONDS);
  const pcm = await audio.read(channel, from, Math.min(audio.seconds, end + CONTEXT_SECONDS));
  const voices = await embedder.voices(pcm, environment, signal);
  return voices
    .map((voice) => ({ ...voice, start: voice.start + from, end: voice.end + from }))
    .filter((voice) => {
      const middle = (voice.start + voice.end) / 2;
      return start <= middle && middle <= end;
    });
}

/**
 * Embeds the voices again where an earlier version stored vectors of another model, because vectors of two models
 * cannot be compared.
 */
export async function withCurrentVoices(
  stretches: readonly StoredStretch[],
  reading: StretchVoiceReading,
): Promise<readonly StoredStretch[]> {
  const current: StoredStretch[] = [];
  for (const stretch of stretches) {
    if (!stretch.outdatedVoices) current.push(stretch);
    else
      current.push({
        ...stretch,
        outdatedVoices: false,
        voices: await voicesInStretch(reading, stretch.channel, stretch),
      });
  }
  return current;
}
