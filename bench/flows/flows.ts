// npm run bench -- flows: runs forty scripted callers against five flows with a model that misbehaves on purpose. It
// measures skipped required steps, calls that reached their goal, the time of the engine's decisions, and the prompt
// sizes with and without a flow. Runs with one check of the engine taken away show that a skipped step is seen. The
// part `local` adds calls in which a language model on this machine speaks.

import { checkFlow } from '../../src/conversation/flows/index.ts';
import { randomFrom } from '../../src/foundation/platform/seeded-random.ts';
import { median, percentile, type Report, runBench } from '../harness/index.ts';
import { BUSINESSES } from './businesses/index.ts';
import { callOf, MUTATIONS, type Mutation } from './call.ts';
import { CALLERS, MANNERS } from './callers.ts';
import { type Call, callsWith, refusalsIn, SEED, shareOf, skipsIn, sum, willing } from './calls.ts';
import { modelOf, openLocalModel } from './local-model.ts';
import { MISBEHAVIOURS } from './model.ts';

/** A flow that no save would take says nothing of the flows that customers have. */
function refuseWrongFlows(): void {
  for (const { name, flow } of BUSINESSES) {
    const { problems } = checkFlow(flow);
    if (problems.length > 0) throw new Error(`${name}: ${JSON.stringify(problems)}`);
  }
}

async function measure(report: Report, rounds: number): Promise<void> {
  refuseWrongFlows();
  const all = await callsWith('none', rounds);
  report.figure({ name: 'required steps skipped', value: skipsIn(all), unit: 'acts', goal: { atMost: 0 } });
  report.figure({
    name: 'flows completed by cooperative callers',
    value: shareOf(willing(all)),
    unit: '%',
    goal: { atLeast: 95 },
  });
  report.figure({
    name: 'decisions of the engine, p95',
    value: percentile(
      all.flatMap(({ decisionsMs }) => decisionsMs),
      0.95,
    ),
    unit: 'ms',
    goal: { atMost: 5 },
  });
  const tokens = sum(all.flatMap(({ promptTokens }) => promptTokens));
  report.figure({
    name: 'prompt of a turn beside one that holds all steps',
    value: (100 * tokens) / sum(all.flatMap(({ wholeTokens }) => wholeTokens)),
    unit: '%',
    goal: { atMost: 50 },
  });
  const mutated = new Map<Mutation, Call[]>();
  for (const mutation of Object.keys(MUTATIONS) as Mutation[]) {
    if (mutation === 'none') continue;
    const calls = await callsWith(mutation, Math.max(1, Math.round(rounds / 5)));
    mutated.set(mutation, calls);
    report.figure({
      name: `required steps skipped where ${MUTATIONS[mutation]}`,
      value: skipsIn(calls),
      unit: `acts in ${calls.length} calls`,
      goal: { atLeast: 1 },
    });
  }
  report.text(
    `${CALLERS.length} callers with their own words, ${BUSINESSES.length} flows, ${rounds} times. A model that is scripted breaks its instructions in two of five turns. Whether a step was skipped is told by what was played, pressed, captured and done, not by the engine. Callers and model are scripted: what recognition mishears is not in it. Tokens are characters by four.`,
  );
  report.heading('By manner of the caller');
  report.table(
    ['manner', 'calls', 'skipped', 'refused', 'completed', 'ended with a person'],
    MANNERS.map((manner) => {
      const calls = all.filter(({ caller }) => caller.manner === manner);
      const withPerson = calls.filter(({ endedIn }) => endedIn === 'person' || endedIn.endsWith('nobody'));
      return [
        manner,
        String(calls.length),
        String(skipsIn(calls)),
        String(refusalsIn(calls)),
        `${shareOf(calls).toFixed(1)} %`,
        `${((100 * withPerson.length) / calls.length).toFixed(1)} %`,
      ];
    }),
  );
  report.heading('By flow');
  report.table(
    ['flow', 'calls', 'skipped', 'refused', 'completed by cooperative callers'],
    BUSINESSES.map((business) => {
      const calls = all.filter((call) => call.business === business);
      return [
        business.name,
        String(calls.length),
        String(skipsIn(calls)),
        String(refusalsIn(calls)),
        `${shareOf(willing(calls)).toFixed(1)} %`,
      ];
    }),
  );
  report.heading('What the model did wrong');
  report.table(
    ['the model', 'turns'],
    MISBEHAVIOURS.map((how) => [
      how,
      String(sum(all.map(({ misbehaved }) => misbehaved.filter((one) => one === how).length))),
    ]),
  );
  report.heading('What is seen without a check');
  report.table(
    ['taken away', 'calls', 'skipped', 'acts'],
    [...mutated].map(([mutation, calls]) => [
      MUTATIONS[mutation],
      String(calls.length),
      String(skipsIn(calls)),
      [...new Set(calls.flatMap(({ skipped }) => skipped))].sort().join(', '),
    ]),
  );
}

/** No call begins later than this, so that a small machine ends in minutes. */
const LOCAL_MS = 120_000;
const LOCAL_CALLERS = CALLERS.filter(({ at }) => at === 0);

async function measureLocal(report: Report, quick: boolean): Promise<void> {
  const brain = await openLocalModel();
  const took: number[] = [];
  const calls: Call[] = [];
  const random = randomFrom(SEED);
  const until = performance.now() + (quick ? LOCAL_MS / 6 : LOCAL_MS);
  const model = modelOf(brain, took);
  try {
    for (const caller of LOCAL_CALLERS)
      for (const business of BUSINESSES) {
        if (performance.now() > until) continue;
        const call = { ...(await callOf({ business, caller, random, model })), caller, business };
        console.log(
          `  ${business.name}, ${caller.manner}: ${call.completed ? 'completed' : 'not completed'}`,
        );
        calls.push(call);
      }
  } finally {
    await brain.close();
  }
  report.figure({
    name: 'required steps skipped, a model on this machine',
    value: skipsIn(calls),
    unit: 'acts',
    goal: { atMost: 0 },
  });
  report.figure({
    name: 'flows completed by cooperative callers, a model on this machine',
    value: shareOf(willing(calls)),
    unit: '%',
  });
  report.figure({ name: 'an answer of that model, median', value: median(took), unit: 'ms' });
  report.text(
    `The part \`local\`: SmolLM2 135M Instruct speaks in ${calls.length} calls and ${took.length} turns, with the first caller of each manner. It is the smallest model of the manifest, and shows that the steps hold with a model that does not follow: the goal for completed flows is for models that are made for calls of tools, and is not set for it.`,
  );
  report.table(
    ['flow', 'calls', 'skipped', 'refused', 'completed by cooperative callers'],
    BUSINESSES.map((business) => {
      const of = calls.filter((call) => call.business === business);
      const asked = willing(of);
      return [
        business.name,
        String(of.length),
        String(skipsIn(of)),
        String(refusalsIn(of)),
        `${asked.filter(({ completed }) => completed).length} of ${asked.length}`,
      ];
    }),
  );
}

await runBench('flows', 'Flows', async (report, { quick, parts }) => {
  await measure(report, quick ? 1 : 25);
  if (parts.includes('local')) await measureLocal(report, quick);
});
