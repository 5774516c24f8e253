/**
 * Simulates other rules on the same sounds over the same line: in virtual time, and without the delay of a network,
 * an engine or a playout buffer, all of which ours have.
 */

import { FRAME_MS, FRAME_SAMPLES, levelOf, type SpeechClip } from '../../src/apps/caller/index.ts';
import type { Corpus } from './corpus.ts';
import { CUTS, type CutName, decisions, ENDS, type EndName, type Recognized } from './peer-rules.ts';
import type { Program } from './program.ts';
import { Silero } from './silero.ts';
import {
  endpointQuestions,
  generatedBackchannels,
  interruptionSet,
  noiseSet,
  questionSet,
} from './trial-sets.ts';

const LEAD_FRAMES = 50;
const AFTER_MS = 1_500;
/** A clip begins with a frame, whose offset in Silero's windows differs each time and repeats after eight. */
const PHASES = 8;

export type PeerPart = 'interruptions' | 'backchannels' | 'noises';

export interface PeerTrial {
  readonly part: PeerPart;
  readonly kind: string;
  readonly clip: string;
  readonly cutMs: Readonly<Record<CutName, number | null>>;
}

export interface PeerTurn {
  readonly clip: string;
  /** The time from the caller's last audio, negative where they had more to say; null for never. */
  readonly endedMs: Readonly<Record<EndName, number | null>>;
}

export interface Peers {
  readonly trials: readonly PeerTrial[];
  readonly turns: readonly PeerTurn[];
}

export async function measurePeers(program: Program, corpus: Corpus, quick: boolean): Promise<Peers> {
  const silero = await Silero.open();
  const generated = await corpus.generatedSounds(program, generatedBackchannels(quick));
  const sounds: [PeerPart, readonly SpeechClip[]][] = [
    ['interruptions', interruptionSet(corpus, quick)],
    ['backchannels', [...corpus.listening(), ...generated]],
    ['noises', noiseSet(corpus, quick)],
  ];
  const trials: PeerTrial[] = [];
  for (const [part, clips] of sounds) {
    for (const [at, clip] of clips.entries()) {
      const lead = LEAD_FRAMES + (at % PHASES);
      const cutMs = decisions(CUTS, await heardOn(silero, clip, lead), lead, clip.startMs);
      trials.push({ part, kind: clip.kind, clip: clip.path, cutMs });
    }
  }
  const turns: PeerTurn[] = [];
  for (const [at, clip] of questionSet(corpus, endpointQuestions(quick)).entries()) {
    const lead = LEAD_FRAMES + (at % PHASES);
    const endedMs = decisions(ENDS, await heardOn(silero, clip, lead), lead, clip.endMs);
    turns.push({ clip: clip.path, endedMs });
  }
  return { trials, turns };
}

async function heardOn(silero: Silero, clip: SpeechClip, lead: number): Promise<Recognized> {
  const frames = lead + Math.ceil(clip.samples.length / FRAME_SAMPLES) + AFTER_MS / FRAME_MS;
  const line = new Int16Array(frames * FRAME_SAMPLES);
  line.set(clip.samples, lead * FRAME_SAMPLES);
  const level = Array.from({ length: frames }, (_, at) =>
    levelOf(line.subarray(at * FRAME_SAMPLES, (at + 1) * FRAME_SAMPLES)),
  );
  return { level, voice: await silero.likelihoods(line) };
}
