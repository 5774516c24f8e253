/** What is measured on each kind of processor. */
import type { StreamsData } from '../hear/streams.ts';
import type { Score } from '../hear/words.ts';
import type { FalseCutTrial } from '../omni/false-cuts.ts';
import type { Gaps } from '../omni/gaps.ts';
import type { Interruption } from '../omni/interruptions.ts';
import type { Level as Sessions } from '../omni/sessions.ts';
import { type LoadData, measureCuts, measureGapsOf, measureLoad, measureSessionsOf } from './calls.ts';
import { measureHear } from './hear.ts';
import { type LikenessData, measureLikeness } from './likeness.ts';
import { type Profile, profileOfACall } from './profile.ts';
import { measureRepeats, type Repeats } from './repeats.ts';
import { measureSpeak, type SpeakData } from './speak.ts';

export interface HearData {
  readonly four: StreamsData;
  readonly atOnce: readonly StreamsData[];
  /** Undefined in what was measured before there was one. */
  readonly peer?: PeerData;
}

/** faster-whisper: seconds of sound, and those that it took. */
export interface PeerData {
  readonly scores: readonly Score[];
  readonly seconds: number;
  readonly spent: number;
}

export interface CutsData {
  readonly interruptions: readonly Interruption[];
  readonly signs: readonly FalseCutTrial[];
}

export interface Results {
  speak: SpeakData;
  repeats: Repeats;
  likeness: LikenessData;
  hear: HearData;
  gaps: Gaps;
  'sessions-piper': readonly Sessions[];
  'sessions-kokoro': readonly Sessions[];
  load: LoadData;
  cuts: CutsData;
  profile: Profile | null;
}

export type PartName = keyof Results;

const PARTS: { [Name in PartName]: (quick: boolean) => Promise<Results[Name]> } = {
  speak: measureSpeak,
  repeats: measureRepeats,
  likeness: measureLikeness,
  hear: measureHear,
  gaps: measureGapsOf,
  'sessions-piper': (quick) => measureSessionsOf('piper', quick),
  'sessions-kokoro': (quick) => measureSessionsOf('kokoro', quick),
  load: measureLoad,
  cuts: measureCuts,
  profile: profileOfACall,
};

export const PART_NAMES = Object.keys(PARTS) as PartName[];

export const measurePart = (name: PartName, quick: boolean): Promise<unknown> => PARTS[name](quick);
