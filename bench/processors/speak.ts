import { ANSWERS } from '../harness/index.ts';
import { type FirstAudio, request } from '../speak/first.ts';
import { PROMPTS } from '../speak/prompts.ts';
import { Stage } from '../speak/served-surface.ts';
import { FASTEST, HIBARI, KOKORO, RATE } from '../speak/voices.ts';

export interface FirstAudioOf {
  readonly voice: string;
  readonly words: number;
  readonly ms: number;
  readonly processorMs: number;
}

export interface SpeakData {
  /** The figures by the number of words in the first clause; undefined in results from before they existed. */
  readonly byLength?: readonly FirstAudioOf[];
  readonly firstMs: readonly number[];
  readonly factor: number;
  readonly factors: readonly number[];
  /**
   * CPU seconds, all threads and the client's own together, for a second of speech: neighbours on the machine change
   * it least.
   */
  readonly processor: number;
}

export async function measureSpeak(quick: boolean): Promise<SpeakData> {
  const stage = await Stage.open();
  try {
    await request(stage, 'pcm', KOKORO, 'Hello there.');
    const said: FirstAudio[] = [];
    const before = process.cpuUsage();
    for (const text of PROMPTS.slice(0, quick ? 3 : 30)) said.push(await request(stage, 'pcm', KOKORO, text));
    const { user, system } = process.cpuUsage(before);
    const byLength: FirstAudioOf[] = [];
    for (const voice of [FASTEST, HIBARI, KOKORO]) {
      await request(stage, 'pcm', voice, 'Hello there.');
      for (const { words, text } of ANSWERS.slice(0, quick ? 6 : ANSWERS.length)) {
        const { first, processor } = await request(stage, 'pcm', voice, text);
        byLength.push({ voice, words, ms: first, processorMs: processor });
      }
    }
    const seconds = ({ bytes }: FirstAudio) => bytes / 2 / RATE;
    const all = (of: (one: FirstAudio) => number) => said.reduce((sum, one) => sum + of(one), 0);
    return {
      byLength,
      firstMs: said.map(({ first }) => first),
      factor: all(({ whole }) => whole) / 1000 / all(seconds),
      processor: (user + system) / 1e6 / all(seconds),
      factors: said.map((one) => one.whole / 1000 / seconds(one)),
    };
  } finally {
    await stage.close();
  }
}
