import type { CallAudioFeatures } from './call-audio-features.ts';
import type { ClassifiedAnswer, Cue } from './contract.ts';
import type { AnswerModel, SpokenAnswer } from './phrases/index.ts';
import { type Tunables, waitingMs } from './tunables.ts';

export interface WeightedCue {
  readonly code: string;
  readonly detail: string;
  readonly adds: Readonly<Partial<Record<ClassifiedAnswer, number>>>;
}

const machines = (weight: number): Partial<Record<ClassifiedAnswer, number>> => ({
  voicemail: weight,
  ivr: weight,
  screening: weight,
  dead_number: weight,
});

/** The pauses of recordings are digital silence; the noise of a live line is louder. */
const DIGITAL_DBFS = -72;
const MUSIC_MS = 4000;
/** Machine scores below this make the absence of machine words a cue for a person. */
const LITTLE = 1.6;

/** Collects all cues at this moment. A person can check each cue against the audio. */
export function cuesOf(
  heard: CallAudioFeatures,
  model: AnswerModel,
  tunables: Tunables,
  nowMs: number,
): WeightedCue[] {
  return [
    ...toneCues(heard),
    ...cadenceCues(heard, tunables, nowMs),
    ...wordCues(heard, model),
    ...recordingCues(heard),
    ...musicCues(heard, nowMs),
  ];
}

function toneCues(heard: CallAudioFeatures): WeightedCue[] {
  const first = heard.speechSpans[0]?.fromMs ?? Number.POSITIVE_INFINITY;
  const cues: WeightedCue[] = [];
  for (const { tone, fromMs, toMs } of heard.tones) {
    const detail = `${(fromMs / 1000).toFixed(2)} s`;
    if (tone === 'fax_ced' || tone === 'fax_cng') cues.push({ code: 'fax_tone', detail, adds: { fax: 9 } });
    if (tone === 'sit') cues.push({ code: 'sit_tone', detail, adds: { dead_number: 5 } });
    if (tone === 'beep' && first < fromMs && toMs - fromMs >= 80 && !heard.inVoice(fromMs, toMs)) {
      cues.push({ code: 'beep', detail, adds: { voicemail: 5, screening: 2, human: -1 } });
    }
  }
  return [...new Map(cues.map((cue) => [cue.code, cue])).values()];
}

function cadenceCues(heard: CallAudioFeatures, tunables: Tunables, nowMs: number): WeightedCue[] {
  if (heard.speechSpans.length === 0) return [];
  const spoken = heard.spokenMs(nowMs);
  const quiet = heard.quietMs(nowMs);
  const { speechThresholdMs } = tunables;
  const detail = `${(spoken / 1000).toFixed(1)} s of speech`;
  const cues: WeightedCue[] = [];
  if (spoken > 2 * speechThresholdMs) {
    cues.push({ code: 'long_greeting', detail, adds: { ...machines(1.6), receptionist: 0.4, human: -2 } });
  } else if (spoken > speechThresholdMs) {
    cues.push({ code: 'long_greeting', detail, adds: { ...machines(0.8), receptionist: 0.6, human: -0.8 } });
  } else if (quiet >= 300) {
    cues.push({
      code: 'short_greeting',
      detail,
      adds: { human: spoken < 0.6 * speechThresholdMs ? 2.4 : 1.4 },
    });
  }
  const waited = quiet / waitingMs(tunables);
  if (waited >= 1) {
    const weight = waited >= 2.5 ? 1.2 : 0.6;
    const pause = `${(quiet / 1000).toFixed(1)} s of silence after it`;
    cues.push({
      code: 'waits_for_an_answer',
      detail: pause,
      adds: { human: weight, receptionist: weight / 3 },
    });
  }
  if (asksAgain(heard)) {
    cues.push({ code: 'asks_again', detail: 'speaks again after a silence', adds: { human: 1.5 } });
  }
  return cues;
}

/** A short word, a pause and another short word indicate a person who hears no answer. */
function asksAgain({ speechSpans }: CallAudioFeatures): boolean {
  const [first, second] = speechSpans;
  if (first === undefined || second === undefined) return false;
  return (
    first.toMs - first.fromMs < 1200 &&
    second.fromMs - first.toMs > 1000 &&
    second.toMs - second.fromMs < 1500
  );
}

function wordCues(heard: CallAudioFeatures, model: AnswerModel): WeightedCue[] {
  const text = heard.text;
  if (text.trim() === '') return [];
  const { scores, runs, words } = model.read(text);
  const cues: WeightedCue[] = [];
  let most = 0;
  for (const [answer, score] of Object.entries(scores) as [SpokenAnswer, number][]) {
    if (answer !== 'human') most = Math.max(most, score);
    if (score <= 0) continue;
    const detail = runs[answer]
      .slice(0, 4)
      .map((run) => `“${run}”`)
      .join(', ');
    cues.push({ code: `${answer}_words`, detail, adds: { [answer]: score } });
  }
  if (words > 0 && most < LITTLE) {
    cues.push({ code: 'no_machine_words', detail: `${words} words`, adds: { human: 1.6 } });
  }
  return cues;
}

function recordingCues(heard: CallAudioFeatures): WeightedCue[] {
  const cues: WeightedCue[] = [];
  if (heard.repeat) {
    const detail = `as in ${heard.repeat.call}, ${Math.round(heard.repeat.likeness * 100)} % alike`;
    cues.push({ code: 'repeated_greeting', detail, adds: { ...machines(1.5), human: -5, receptionist: -4 } });
  }
  const floor = heard.floorDbfs;
  if (floor !== undefined && floor < DIGITAL_DBFS) {
    cues.push({ code: 'digital_silence', detail: `${Math.round(floor)} dBFS`, adds: machines(0.3) });
  }
  return cues;
}

function musicCues(heard: CallAudioFeatures, nowMs: number): WeightedCue[] {
  const { playing, sinceMs } = heard.music;
  if (!playing || nowMs - sinceMs < MUSIC_MS) return [];
  const detail = `${((nowMs - sinceMs) / 1000).toFixed(0)} s of music`;
  return [{ code: 'hold_music', detail, adds: { ivr: 2.5, human: -3, voicemail: -1 } }];
}

export function reasonsFor(answer: ClassifiedAnswer, cues: readonly WeightedCue[]): Cue[] {
  return cues
    .map(({ code, detail, adds }) => ({ code, detail, weight: adds[answer] ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
}
