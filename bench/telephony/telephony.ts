/**
 * Calls over SIP: how many run concurrently with their media, how many are set up a second, the delay of their audio,
 * and the cost of packet loss.
 *
 *     npm run bench -- telephony                    runs every part, about a quarter of an hour
 *     npm run bench -- telephony media set-ups      runs those named: media, relay, delay, set-ups, gap, words; the
 *                                                   report joins them to the stored others
 */
import { join } from 'node:path';
import { pause } from '../../src/apps/caller/index.ts';
import { runBench } from '../harness/index.ts';
import { PartStore } from '../hear/parts.ts';
import { Corpus } from '../omni/corpus.ts';
import { Program } from '../omni/program.ts';
import { questionSet } from '../omni/trial-sets.ts';
import { type Delays, delays } from './delays.ts';
import { type Between, type HeldCall, hold } from './media.ts';
import { lackingRelay, Relay, relayVersion } from './relay.ts';
import { MOST_CONCEALED, type Relayed, writeReport } from './report.ts';
import {
  ENVIRONMENT,
  greetings,
  type ResponseLatencyAtLoss,
  responseLatencyAtLoss,
  type Talks,
  takeNumber,
} from './response-latency.ts';
import { lacking, type SetUps, setUps } from './set-ups.ts';
import { type WordsAtLoss, wordsAtLoss } from './words.ts';

const CALLS = [100, 300, 500, 700, 1000];
const LATENCY_LOSSES = [0, 0.01, 0.05];
/** A ready server still measures its models for some seconds, which is no cost of a call. */
const SETTLED_MS = 10_000;
const LATENCY_QUESTIONS = 8;
const WORD_LOSSES = [0, 0.02, 0.05, 0.1];
const LEAST_WORDS = 6;
const MOST_S = 8;

async function held(quick: boolean, between?: Between): Promise<HeldCall[]> {
  const runs: HeldCall[] = [];
  for (const calls of quick ? [40] : CALLS) {
    const held = await hold(calls, quick ? 3 : 10, between);
    runs.push(held);
    if (held.concealed > MOST_CONCEALED) break;
  }
  return runs;
}

async function relayed(quick: boolean): Promise<Relayed | string> {
  const lack = lackingRelay();
  if (lack !== null) return lack;
  const relay = await Relay.start();
  try {
    return { version: relayVersion(), runs: await held(quick, relay) };
  } finally {
    await relay.stop();
  }
}

async function inProgram<T>(use: (program: Program) => Promise<T>): Promise<T> {
  const program = await Program.start(ENVIRONMENT);
  try {
    return await use(program);
  } finally {
    await program.stop();
  }
}

const gap = (quick: boolean): Promise<Talks> =>
  inProgram(async (program) => {
    const clips = questionSet(new Corpus('held-out'), quick ? 2 : LATENCY_QUESTIONS);
    await takeNumber(program);
    // A machine's first use of a voice prepares it, which is not measured.
    await program.speak('Hello.', 'en1');
    await pause(SETTLED_MS);
    const greeted = await greetings(quick ? 2 : 5);
    const gaps: ResponseLatencyAtLoss[] = [];
    for (const share of LATENCY_LOSSES) gaps.push(await responseLatencyAtLoss(clips, share));
    return { greeted, gaps };
  });

const words = (quick: boolean): Promise<WordsAtLoss[]> =>
  inProgram(async (program) => {
    const clips = new Corpus('held-out').speech(
      ({ text, seconds }) => text.split(' ').length >= LEAST_WORDS && seconds <= MOST_S,
      quick ? 4 : 24,
    );
    const found: WordsAtLoss[] = [];
    for (const share of WORD_LOSSES) found.push(await wordsAtLoss(program, clips, share));
    return found;
  });

interface Measured {
  readonly media: HeldCall[];
  readonly relay: Relayed | string;
  readonly delay: Delays;
  readonly 'set-ups': SetUps | string;
  readonly gap: Talks;
  readonly words: WordsAtLoss[];
}

const PARTS: { [Name in keyof Measured]: (quick: boolean) => Promise<Measured[Name]> } = {
  media: (quick) => held(quick),
  relay: relayed,
  delay: (quick) => delays(quick ? 12 : 100),
  'set-ups': async (quick) => lacking() ?? (quick ? setUps(50, 100) : setUps(3000, 200)),
  gap,
  words,
};

await runBench('telephony', 'Calls over SIP', async (page, { quick, parts }) => {
  const store = new PartStore(join('build-bench', quick ? 'telephony-quick' : 'telephony'));
  for (const [name, measure] of Object.entries(PARTS)) {
    if (parts.length > 0 && !parts.includes(name)) continue;
    store.keep(name, await measure(quick));
    console.log(`measured: ${name}`);
  }
  writeReport(page, store);
});
