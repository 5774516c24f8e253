import type { StreamsData } from '../hear/streams.ts';
import type { Score } from '../hear/words.ts';
import type { FalseInterruptionTrial } from '../omni/false-interruptions.ts';
import type { Interruption } from '../omni/interruptions.ts';
import type { ResponseLatencies } from '../omni/response-latency.ts';
import type { Level as Sessions } from '../omni/sessions.ts';
import {
  type LoadData,
  measureInterruptionsAtLevels,
  measureLoad,
  measureResponseLatencyOf,
  measureSessionsOf,
} from './calls.ts';
import { measureHear } from './hear.ts';
import { type Profile, profileOfACall } from './profile.ts';
import { measureRepeats, type Repeats } from './repeats.ts';
import { measureSimilarity, type SimilarityData } from './similarity.ts';
import { measureSpeak, type SpeakData } from './speak.ts';

export interface HearData {
  readonly four: StreamsData;
  readonly atOnce: readonly StreamsData[];
  readonly peer?: PeerData;
}

export interface PeerData {
  readonly scores: readonly Score[];
  readonly seconds: number;
  readonly spent: number;
}

export interface InterruptionsData {
  readonly interruptions: readonly Interruption[];
  readonly signs: readonly FalseInterruptionTrial[];
}

export interface Results {
  speak: SpeakData;
  repeats: Repeats;
  likeness: SimilarityData;
  hear: HearData;
  gaps: ResponseLatencies;
  'sessions-piper': readonly Sessions[];
  'sessions-hibari': readonly Sessions[];
  'sessions-kokoro': readonly Sessions[];
  load: LoadData;
  cuts: InterruptionsData;
  profile: Profile | null;
}

export type PartName = keyof Results;

const PARTS: { [Name in PartName]: (quick: boolean) => Promise<Results[Name]> } = {
  speak: measureSpeak,
  repeats: measureRepeats,
  likeness: measureSimilarity,
  hear: measureHear,
  gaps: measureResponseLatencyOf,
  'sessions-piper': (quick) => measureSessionsOf('piper', quick),
  'sessions-hibari': (quick) => measureSessionsOf('hibari', quick),
  'sessions-kokoro': (quick) => measureSessionsOf('kokoro', quick),
  load: measureLoad,
  cuts: measureInterruptionsAtLevels,
  profile: profileOfACall,
};

export const PART_NAMES = Object.keys(PARTS) as PartName[];

export const measurePart = (name: PartName, quick: boolean): Promise<unknown> => PARTS[name](quick);
