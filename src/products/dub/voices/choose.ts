import type { VoiceProfile } from './speaking.ts';
import { cosine } from './speaking.ts';

export interface NamedSpeaker extends VoiceProfile {
  readonly name: string;
}

export interface VoiceChoice {
  readonly voice: number;
  readonly pitch: number;
  /** It is null where one of the two voices has no embedding. */
  readonly likeness: number | null;
}

/** An octave of difference weighs as much as two unrelated voices. */
const OCTAVE = 1;
/** A speaker shares another speaker's voice only where it is better by this much. */
const TAKEN = 0.6;
/** A voice that is shifted farther than this sounds artificial. */
const MOST_BENT = 1.15;

const octaves = (a: number | null, b: number | null): number =>
  a === null || b === null ? 0 : Math.abs(Math.log2(a / b));

const voiceSimilarity = (a: VoiceProfile, b: VoiceProfile): number | null =>
  a.vector && b.vector ? cosine(a.vector, b.vector) : null;

/** Chooses the nearest voice in timbre and pitch for each speaker; each gets its own while there are enough. */
export function chooseVoices(
  speakers: readonly NamedSpeaker[],
  voices: readonly VoiceProfile[],
): readonly VoiceChoice[] {
  const taken = new Map<number, number>();
  return speakers.map((speaker) => {
    const scores = voices.map(
      (voice, at) =>
        (voiceSimilarity(speaker, voice) ?? 0) -
        OCTAVE * octaves(speaker.pitchHz, voice.pitchHz) -
        TAKEN * (taken.get(at) ?? 0),
    );
    const best = scores.indexOf(Math.max(...scores));
    taken.set(best, (taken.get(best) ?? 0) + 1);
    const voice = voices[best] as VoiceProfile;
    return { voice: best, pitch: pitchFor(speaker, voice), likeness: voiceSimilarity(speaker, voice) };
  });
}

function pitchFor(speaker: VoiceProfile, voice: VoiceProfile): number {
  if (speaker.pitchHz === null || voice.pitchHz === null) return 1;
  return Math.min(MOST_BENT, Math.max(1 / MOST_BENT, speaker.pitchHz / voice.pitchHz));
}
