import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeMachine, type Machine } from '../harness/index.ts';
import { ScriptedBrain } from './brain.ts';
import { type ClockTrial, ECHO, measureClocks } from './clocks.ts';
import { Corpus, spread } from './corpus.ts';
import {
  type EchoTrial,
  type FalseInterruptionTrial,
  measureEcho,
  measureFalseInterruptions,
} from './false-interruptions.ts';
import { type Interruption, measureInterruptions } from './interruptions.ts';
import { measureLanguages, type SpokenTurn } from './languages.ts';
import { type Drift, measureDrift } from './media-clock.ts';
import { measureOtherLanguages } from './other-languages.ts';
import { measurePeers, type Peers } from './peers.ts';
import { Program } from './program.ts';
import { measureResponseLatency, type ResponseLatencies } from './response-latency.ts';
import { type Level, measureSessions } from './sessions.ts';
import {
  backchannelsOf,
  endpointQuestions,
  generatedBackchannels,
  interruptionSet,
  noiseSet,
} from './trial-sets.ts';
import { type CrowdLevel, measureCrowd } from './under-load.ts';

export interface Results {
  'gaps-endpoint': ResponseLatencies;
  'gaps-responder': ResponseLatencies;
  interruptions: Interruption[];
  backchannels: FalseInterruptionTrial[];
  noises: FalseInterruptionTrial[];
  peers: Peers;
  elsewhere: FalseInterruptionTrial[];
  echo: { trials: EchoTrial[]; interruptions: Interruption[]; signs: FalseInterruptionTrial[] };
  clocks: ClockTrial[];
  crowd: CrowdLevel[];
  languages: SpokenTurn[];
  sessions: Level[];
  clock: Drift;
}

export type PartName = keyof Results;

interface Setting {
  readonly quick: boolean;
  readonly corpus: Corpus;
  readonly brain: ScriptedBrain;
  readonly program: Program;
}

/** A longer run is more precise; it needs next to nothing of the machine. */
const CLOCK_MINUTES = Number(process.env.OMNI_CLOCK_MINUTES ?? 8);
const ECHOES = [-20, -30, -40].flatMap((db) => [50, 120, 250].map((delayMs) => ({ db, delayMs })));

export const PARTS: { [Name in PartName]: (setting: Setting) => Promise<Results[Name]> } = {
  'gaps-endpoint': ({ program, brain, corpus, quick }) =>
    measureResponseLatency(program, brain, corpus, endpointQuestions(quick)),
  'gaps-responder': ({ program, corpus, quick }) =>
    measureResponseLatency(program, null, corpus, quick ? 14 : 30),
  interruptions: ({ program, brain, corpus, quick }) =>
    measureInterruptions(program, brain, interruptionSet(corpus, quick)),
  backchannels: async ({ program, corpus, quick }) => {
    const generated = await corpus.generatedListening(program, generatedBackchannels(quick));
    return await measureFalseInterruptions(program, [...corpus.listening(), ...generated], { lowered: true });
  },
  noises: ({ program, corpus, quick }) =>
    measureFalseInterruptions(program, noiseSet(corpus, quick), { lowered: true }),
  peers: ({ program, corpus, quick }) => measurePeers(program, corpus, quick),
  elsewhere: ({ program, corpus, quick }) => measureOtherLanguages(program, corpus, quick),
  echo: async ({ program, brain, corpus, quick }) => ({
    trials: await measureEcho(program, quick ? ECHOES.slice(0, 2) : ECHOES, quick ? 8 : 10),
    interruptions: await measureInterruptions(
      program,
      brain,
      spread(corpus.interruptions(), quick ? 2 : 48),
      { echo: ECHO },
    ),
    signs: await measureFalseInterruptions(program, await backchannelsOf(program, corpus, quick ? 3 : 48), {
      echo: ECHO,
    }),
  }),
  clocks: ({ program, brain, corpus, quick }) => measureClocks(program, brain, corpus, quick),
  crowd: async ({ program, brain, corpus, quick }) => {
    const levels: CrowdLevel[] = [];
    const trials = quick ? 4 : 16;
    const generated = await corpus.generatedListening(program, trials);
    const signs = [...spread(corpus.listening(), trials / 2), ...generated];
    const said = spread(corpus.interruptions(), trials);
    for (const calls of quick ? [2] : [2, 3, 4])
      levels.push(await measureCrowd(program, brain, corpus, calls, signs, said));
    return levels;
  },
  languages: ({ program }) => measureLanguages(program),
  sessions: async ({ program, brain, corpus, quick }) => {
    const levels: Level[] = [];
    for (const sessions of quick ? [1] : [1, 2, 3, 4])
      levels.push(
        await measureSessions(program, brain, corpus, sessions, quick ? 10 : sessions === 1 ? 40 : 60),
      );
    return levels;
  },
  clock: ({ program, quick }) => measureDrift(program, quick ? 2 : CLOCK_MINUTES),
};

export const PART_NAMES = Object.keys(PARTS) as PartName[];

export interface Stored<Name extends PartName> {
  readonly machine: Machine;
  readonly seconds?: number;
  readonly result: Results[Name];
}

export type Run = 'whole' | 'quick' | 'development';

const fileOf = (name: PartName, run: Run): string => join('build-bench', `omni-${run}`, `${name}.json`);

export async function measurePart(name: PartName, run: Run): Promise<void> {
  const machine = describeMachine();
  const began = performance.now();
  const brain = await ScriptedBrain.start();
  const endpoint = { TRUNKLINE_BRAIN_URL: brain.url, TRUNKLINE_BRAIN_MODEL: 'scripted' };
  const program = await Program.start({
    ...(name === 'gaps-responder' || name === 'languages' ? {} : endpoint),
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  });
  try {
    const corpus = new Corpus(run === 'development' ? 'development' : 'held-out');
    const result = await PARTS[name]({ quick: run !== 'whole', corpus, brain, program });
    const file = fileOf(name, run);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ machine, seconds: (performance.now() - began) / 1000, result }));
  } finally {
    await program.stop();
    brain.close();
  }
}

export function stored<Name extends PartName>(name: Name, run: Run): Stored<Name> | null {
  try {
    return JSON.parse(readFileSync(fileOf(name, run), 'utf8')) as Stored<Name>;
  } catch {
    return null;
  }
}
