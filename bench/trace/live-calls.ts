// Concurrent calls in real time: the text of each goes through its own guard, in one process, as in a server.
import type { LiveGuard } from '../../src/products/trace/index.ts';
import { Random } from '../compliance/random.ts';
import { percentile, type Report } from '../harness/index.ts';
import { type Sentence, sentences } from './grammar.ts';

const SEED = 20_261_124;
/**
 * An agent says a clause at this interval while it speaks, which is half of the call; a caller speaks once in a turn.
 */
const CLAUSE_MS = 5_000;
const TURN_MS = 10_000;
/** Each kind, way and language has this many different sentences, so that no cache answers. */
const EACH = 60;

interface Spoken {
  readonly at: number;
  readonly call: number;
  readonly by: 'agent' | 'caller';
}

function plan(calls: number, seconds: number, random: Random): Spoken[] {
  const all: Spoken[] = [];
  for (let call = 0; call < calls; call += 1)
    for (const [by, every] of [
      ['agent', CLAUSE_MS],
      ['caller', TURN_MS],
    ] as const)
      for (let at = random.whole(0, every); at < seconds * 1_000; at += every) all.push({ at, call, by });
  return all.sort((a, b) => a.at - b.at);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function liveCalls(
  report: Report,
  guardOfCall: () => LiveGuard,
  { calls, seconds }: { readonly calls: number; readonly seconds: number },
): Promise<void> {
  const random = new Random(SEED);
  const guards = Array.from({ length: calls }, guardOfCall);
  const said = sentences(EACH, random);
  const waits = { agent: [] as number[], caller: [] as number[] };
  const speak = async ({ at, call, by }: Spoken, { text, language }: Sentence, began: number) => {
    const guard = guards[call] as LiveGuard;
    if (by === 'caller') await guard.heard?.(text, language);
    else if (guard.spoken('', text, language) === null) await guard.meant?.ask(text, language);
    waits[by].push(performance.now() - began - at);
  };
  const todo = plan(calls, seconds, random);
  const [used, began] = [process.cpuUsage(), performance.now()];
  const going: Promise<void>[] = [];
  for (const one of todo) {
    const early = one.at - (performance.now() - began);
    if (early > 1) await pause(early);
    going.push(speak(one, random.pick(said), began));
  }
  await Promise.all(going);
  const { user, system } = process.cpuUsage(used);
  const share = (user + system) / 1_000 / (performance.now() - began);
  const name = `${calls} live calls`;
  report.figure({
    name: `${name}: processor`,
    value: 100 * share,
    unit: '% of a core',
    goal: { atMost: 200 },
  });
  for (const by of ['agent', 'caller'] as const) {
    const whose =
      by === 'agent'
        ? 'a clause waits, with what it means'
        : 'a caller’s words wait, beside the search for knowledge';
    report.figure({ name: `${name}: ${whose}, median`, value: percentile(waits[by], 0.5), unit: 'ms' });
    report.figure({ name: `${name}: ${whose}, 99th of 100`, value: percentile(waits[by], 0.99), unit: 'ms' });
  }
  report.heading('Calls at once');
  report.text(
    `${calls} calls of ${seconds} s in five languages, each with a guard of its own; ${todo.length} clauses and turns, all through the real pronunciation and the real model of meanings. ` +
      'A wait counts from when the words are due, so that it holds what stands in line before them. The processor is the whole process: the models’ share is in it. Recognition and voices are not.',
  );
}
