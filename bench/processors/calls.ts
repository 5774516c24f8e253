import { ScriptedBrain } from '../omni/brain.ts';
import { Corpus, spread } from '../omni/corpus.ts';
import { measureFalseInterruptions } from '../omni/false-interruptions.ts';
import { measureInterruptions } from '../omni/interruptions.ts';
import { Program } from '../omni/program.ts';
import { measureResponseLatency, type ResponseLatencies } from '../omni/response-latency.ts';
import { type AgentVoice, measureSessions, type Level as Sessions, SPOKEN } from '../omni/sessions.ts';
import { FASTEST, HIBARI, KOKORO } from '../speak/voices.ts';
import type { InterruptionsData } from './parts.ts';

interface Scene {
  readonly program: Program;
  readonly brain: ScriptedBrain;
  readonly corpus: Corpus;
}

export async function onScene<Result>(play: (scene: Scene) => Promise<Result>): Promise<Result> {
  const brain = await ScriptedBrain.start();
  const program = await Program.start({
    TRUNKLINE_BRAIN_URL: brain.url,
    TRUNKLINE_BRAIN_MODEL: 'scripted',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  });
  try {
    return await play({ program, brain, corpus: new Corpus('held-out') });
  } finally {
    await program.stop();
    brain.close();
  }
}

export const measureResponseLatencyOf = (quick: boolean): Promise<ResponseLatencies> =>
  onScene(({ program, brain, corpus }) => measureResponseLatency(program, brain, corpus, quick ? 6 : 24));

const MOST_KOKORO = 4;

const VOICES = {
  piper: { voice: FASTEST, counts: [6, 8] },
  hibari: { voice: HIBARI, counts: [6, 8] },
  kokoro: { voice: KOKORO, counts: [3, 4, 5] },
} as const;

/** Adds concurrent calls until a number is not served. */
export const measureSessionsOf = (engine: keyof typeof VOICES, quick: boolean): Promise<Sessions[]> =>
  onScene(async ({ program, brain, corpus }) => {
    const { voice, counts } = VOICES[engine];
    // The first answers after a start break off for some milliseconds at any number of calls.
    await measureSessions(program, brain, corpus, 1, quick ? 1 : 15, { voice_id: voice });
    const levels: Sessions[] = [];
    for (const sessions of quick ? [1] : counts) {
      // The run is long enough to separate one break a minute from chance.
      const seconds = quick ? 10 : Math.max(60, 120 / sessions);
      // Each number of calls plays every recording once, so that a difficult one does not come up in long runs alone.
      const least = quick ? 0 : SPOKEN;
      levels.push(
        await measureSessions(program, brain, corpus, sessions, seconds, { voice_id: voice }, least),
      );
      if (levels.at(-1)?.refused) break;
    }
    return levels;
  });

export interface LoadData {
  readonly without: Sessions;
  readonly withLeave: Sessions;
}

/** Admits as many calls in an expensive voice as possible, with and without permission to begin with a cheaper one. */
export const measureLoad = (quick: boolean): Promise<LoadData> =>
  onScene(async ({ program, brain, corpus }) => {
    const own = { voice_id: KOKORO };
    const [seconds, least] = quick ? [10, 0] : [60, SPOKEN];
    const measure = (agent: AgentVoice) =>
      measureSessions(program, brain, corpus, MOST_KOKORO, seconds, agent, least);
    await measureSessions(program, brain, corpus, 1, quick ? 1 : 15, own);
    await measureSessions(program, brain, corpus, 1, quick ? 1 : 15, { voice_id: FASTEST });
    const without = await measure(own);
    const withLeave = await measure({ ...own, voice_under_load: FASTEST });
    if (!quick && withLeave.gaveWay === 0)
      throw new Error('no call gave way: this machine takes more of them');
    return { without, withLeave };
  });

export const measureInterruptionsAtLevels = (quick: boolean): Promise<InterruptionsData> =>
  onScene(async ({ program, brain, corpus }) => {
    const interruptions = await measureInterruptions(
      program,
      brain,
      spread(corpus.interruptions(), quick ? 4 : 32),
      { made: true },
    );
    const generated = await corpus.generatedListening(program, quick ? 4 : 24);
    const real = spread(corpus.listening(), quick ? 2 : 9);
    return {
      interruptions,
      signs: await measureFalseInterruptions(program, [...real, ...generated], { made: true }),
    };
  });
