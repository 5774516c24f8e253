/**
 * Measures how soon an agent is audible with repeated speech: the first time, the second, which caches the audio, and
 * the third.
 */
import { agentSilent, median, pause, SimulatedCaller } from '../../src/apps/caller/index.ts';
import { firstAudioMs } from '../omni/response-latency.ts';
import { KOKORO } from '../speak/voices.ts';
import { onScene } from './calls.ts';

const SAID = [
  'Good morning, this is Acme Dental, how can I help you?',
  'One moment, please.',
  'Let me look that up for you.',
  'Is there anything else that I can do for you today?',
  'Could you tell me your number, please?',
  'Thank you very much, and have a nice day.',
  'I am sorry, I did not hear that.',
  'We are open from nine in the morning until five in the afternoon.',
];
const TIMES = 3;
const WITHIN_MS = 8_000;

export interface Repeats {
  readonly firstMs: readonly (readonly number[])[];
  /** CPU seconds of the server until the speech had been played whole, of a call of the same length each time. */
  readonly processor: readonly number[];
}

export const measureRepeats = (quick: boolean): Promise<Repeats> =>
  onScene(async ({ program }) => {
    await program.speak('Hello.', KOKORO);
    const caller = await SimulatedCaller.connect(program.url, program.key, { voice_id: KOKORO });
    const firstMs: number[][] = [];
    const processor: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const before = await program.cpuSeconds();
      firstMs.push([]);
      for (const text of SAID.slice(0, quick ? 2 : SAID.length)) firstMs[time]!.push(await say(caller, text));
      processor.push((await program.cpuSeconds()) - before);
    }
    await caller.hangUp();
    return { firstMs, processor };
  });

async function say(caller: SimulatedCaller, text: string): Promise<number> {
  const asked = performance.now();
  caller.control({ type: 'say', text });
  const heard = await firstAudioMs(caller, asked, asked + WITHIN_MS);
  if (heard === null) throw new Error(`“${text}” was not heard`);
  await agentSilent(caller);
  await pause(200);
  return heard - asked;
}

export const middles = ({ firstMs }: Repeats): number[] => firstMs.map((all) => median(all));
