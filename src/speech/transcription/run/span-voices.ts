import type { Environment } from '../../../foundation/access/contract.ts';
import type { SpeakerEmbedder, SpeakerEmbedding, SpeechSpan } from '../contract.ts';
import type { StoredSpan } from './span-store.ts';
import type { SpooledAudio } from './spool.ts';

/** Audio around a span improves the turn boundaries of the segmentation. */
const CONTEXT_SECONDS = 0.4;

export interface SpanVoiceReading {
  readonly audio: Pick<SpooledAudio, 'read' | 'seconds'>;
  readonly embedder: SpeakerEmbedder;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export async function voicesInSpan(
  { audio, embedder, environment, signal }: SpanVoiceReading,
  channel: number,
  { start, end }: Pick<SpeechSpan, 'start' | 'end'>,
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
 * Embeds the voices again where spans have vectors of several models, because these cannot be compared: an earlier version
 * stored some, or the operator has selected another encoder in the meantime.
 */
export async function withCurrentVoices(
  spans: readonly StoredSpan[],
  reading: SpanVoiceReading,
): Promise<readonly StoredSpan[]> {
  const isMixed = new Set(spans.flatMap(encodersIn)).size > 1;
  const current: StoredSpan[] = [];
  for (const span of spans) {
    if (!span.outdatedVoices && !isMixed) current.push(span);
    else
      current.push({
        ...span,
        outdatedVoices: false,
        voices: await voicesInSpan(reading, span.channel, span),
      });
  }
  // The encoder may have changed meanwhile, which happens once in a while at most.
  return isMixed ? await withCurrentVoices(current, reading) : current;
}

const encodersIn = ({ voices }: StoredSpan): string[] =>
  voices.slice(0, 1).map(({ encoder }) => encoder?.id ?? '');
