// @requirement Test kit: Suites are YAML, and an error names its line.
// @requirement Test kit: Suites mock tools, and check words, arguments, slots, time, outcome and cost.
// @requirement Test kit: A run has pass^k, a baseline, a diff, JUnit, an exit code and a page with audio.
// @requirement Test kit: One command turns a recorded call into a test.
// @requirement Test kit: A recorded call replays on the sample clock through another version.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holdsAll } from '../../../src/apps/testkit/check-call.ts';
import { longestRun } from '../../../src/apps/testkit/hosted-suite.ts';
import {
  type BaselineScenario,
  baselineDifferences,
  type CallRecord,
  junit,
  passPowers,
  RecordedCaller,
  readSuite,
  readWav,
  type ScenarioResult,
  suiteOf,
  type Turn,
  turnDifferences,
  turnsOf,
  yamlOf,
} from '../../../src/apps/testkit/index.ts';

const FOLDER = join(import.meta.dirname, '../../../src/apps/testkit/suites');

it('reads the twelve suites of the project', () => {
  const files = readdirSync(FOLDER);
  expect(files).toHaveLength(12);
  for (const file of files) readSuite(readFileSync(join(FOLDER, file), 'utf8'), file);
});

const head = 'name: A\nagent: {}\nscenarios:\n  - name: b\n    steps:\n';
it.each([
  ['name: [', /^x\.yaml:1: /],
  ['name: A\nagent: {}\nscenarios: []\n', /^x\.yaml:3: scenarios /],
  [`${head}      - shout: hello\n`, /^x\.yaml:6: scenarios\.0\.steps\.0 must have exactly one of say, audio/],
  [
    `${head}      - say: hello\n        expect: { within: 3 }\n`,
    /^x\.yaml:7: scenarios\.0\.steps\.0\.expect/,
  ],
  [`${head}      - { press: 'x' }\n`, /^x\.yaml:6: scenarios\.0\.steps\.0\.press/],
  ['name: A\nscenarios:\n  - { name: b, steps: [{ say: c }] }\n', /must have either agent or agent_id/],
  [
    'name: A\nagent_id: agt_1\nmodel: [{ say: c }]\nscenarios:\n  - { name: b, steps: [{ say: c }] }\n',
    /^x\.yaml:3: model is allowed only/,
  ],
  [`${head}      - say: hello\ntools: { t: { result: &r { self: *r } } }\n`, /cannot be converted to JSON/],
  [`${head}      - say: hello\ntools: { t: { result: .inf } }\n`, /cannot be converted to JSON/],
  ['['.repeat(63_000), /is nested too deeply/],
  ['- '.repeat(30_000), /is nested too deeply/],
])('names the line and the field of what is wrong in %j', (yaml, said) => {
  expect(() => readSuite(yaml, 'x.yaml')).toThrow(said);
});

it('bounds a hosted run by its calls, and by half an hour', () => {
  const suite = readSuite(`${head}      - say: hello\n`, 'x.yaml');
  expect(longestRun(suite)).toBe(600_000);
  expect(longestRun({ ...suite, repeat: 3 })).toBe(1_800_000);
  expect(longestRun({ ...suite, scenarios: [...suite.scenarios, ...suite.scenarios], repeat: 3 })).toBe(
    1_800_000,
  );
});

it('says how likely calls in a row pass', () => {
  expect(passPowers(3, 3)).toEqual([1, 1, 1]);
  expect(passPowers(2, 4)).toEqual([0.5, 1 / 6, 0, 0]);
  expect(passPowers(0, 1)).toEqual([0]);
});

it('holds arguments field by field', () => {
  expect(holdsAll({ order: 4711, more: 1 }, { order: '4711' })).toBe(true);
  expect(holdsAll({ order: '4712' }, { order: '4711' })).toBe(false);
  expect(holdsAll({ a: { b: [1, 2] } }, { a: { b: [1] } })).toBe(true);
  expect(holdsAll(undefined, {})).toBe(false);
});

it('tells what has changed since a baseline, and what of it is worse', () => {
  const before: BaselineScenario = {
    suite: 's',
    name: 'n',
    passed: true,
    pass_k: [1],
    gaps_ms: [500],
    said: ['one'],
  };
  expect(baselineDifferences([before], [before])).toEqual([]);
  const now = { ...before, passed: false, gaps_ms: [900], said: ['two'] };
  expect(baselineDifferences([before], [now]).map(({ worse }) => worse)).toEqual([true, false, false]);
  expect(baselineDifferences([before], [])).toMatchObject([{ worse: true }]);
});

it('writes what failed as JUnit', () => {
  const result: ScenarioResult = {
    suite: 'a<b',
    name: 'c',
    trials: [{ call: null, verdicts: [], error: 'gone & "lost"', passed: false }],
    passed: false,
    passK: [0],
    seconds: 1,
  };
  const xml = junit([result, { ...result, passed: true }]);
  expect(xml).toContain('tests="2" failures="1"');
  expect(xml).toContain('classname="a&lt;b" name="c"');
  expect(xml).toContain('gone &amp; &quot;lost&quot;');
});

const entry = (role: string, text: string, start_ms: number, interrupted = false) => ({
  role,
  turn_id: 0,
  text,
  start_ms,
  end_ms: start_ms + 500,
  interrupted,
});
const record: CallRecord = {
  call_id: 'ocl_1',
  agent_id: 'agt_1',
  agent_version: 1,
  voice_id: 'en1',
  duration_s: 9,
  end_reason: 'client_ended',
  transcript: {
    entries: [
      entry('agent', 'Hello.', 0),
      entry('user', 'When do you open?', 1000),
      entry('agent', 'On Monday at', 2000, true),
      entry('user', 'And on Sunday?', 2900),
      entry('agent', 'We are closed.', 4000),
    ],
  },
};

it('makes a suite of a call that can be read again, with its interruptions', () => {
  const sources = { caller: null, tools: [] };
  const suite = readSuite(yamlOf(suiteOf(record, sources).suite), 'call.yaml');
  expect(suite.agent_id).toBe('agt_1');
  expect(suite.scenarios[0]?.steps).toMatchObject([
    { say: 'When do you open?', expect: { meaning: { text: 'On Monday at' } } },
    { interrupt: { after_ms: 900, say: 'And on Sunday?' }, expect: { meaning: { text: 'We are closed.' } } },
  ]);
  expect(() => suiteOf({ ...record, agent_id: null }, sources)).toThrow('has no agent');
});

const TOOL = { turn_id: 2, name: 'look_up', arguments: { order: 4711 }, at_ms: 1600, took_ms: 80 };
const withTools: CallRecord = {
  ...record,
  tool_calls: [
    { ...TOOL, result: { day: 'Friday' } },
    { ...TOOL, at_ms: 3400, arguments: { order: 4712 }, error: 'gone' },
  ],
};

it('takes the results of the tools from the record, and the caller’s own sound where it was recorded', () => {
  const rate = 16_000;
  const left = Int16Array.from({ length: rate * 5 }, (_, at) => at / 16);
  const caller = new RecordedCaller({ rate, channels: [left, left.map(() => 7)] }, 500);
  const { suite, files } = suiteOf(withTools, { caller, tools: [] });
  expect(readSuite(yamlOf(suite), 'call.yaml')).toMatchObject({
    tools: {
      look_up: {
        parameters: { properties: { order: { type: 'number' } } },
        answers: [
          { arguments: { order: 4711 }, result: { day: 'Friday' }, delay_ms: 80 },
          { arguments: { order: 4712 }, error: 'gone' },
        ],
      },
    },
    scenarios: [
      {
        steps: [
          { audio: 'ocl_1-1.wav', words: 'When do you open?', expect: { tool: { name: 'look_up' } } },
          { interrupt: { audio: 'ocl_1-2.wav', say: 'And on Sunday?' } },
        ],
      },
    ],
  });
  // Each sample of the left channel is its millisecond: the first turn begins 300 ms before 1000 of the call, which
  // began at 500.
  const [cut] = readWav(files.get('ocl_1-1.wav') as Buffer, 'cut').channels;
  expect([cut?.[0], cut?.length]).toEqual([200, 8 * (300 + 500 + 400)]);
  const late = new RecordedCaller({ rate, channels: [left, left] }, 1200);
  expect([...suiteOf(withTools, { caller: late, tools: [] }).files.keys()]).toEqual(['ocl_1-2.wav']);
});

it('tells turn by turn what has become of a call that was held again', () => {
  const before = turnsOf(withTools);
  expect(before).toMatchObject([
    { said: 'On Monday at', tools: [{ name: 'look_up' }], cutInAfterMs: null },
    { said: 'We are closed.', tools: [{ name: 'look_up' }], cutInAfterMs: 900 },
  ]);
  expect(turnDifferences(before, before)).toEqual([]);
  const [first, second] = before as [Turn, Turn];
  const quick = { ...first, latencyMs: 400 };
  const slow = { ...first, atMs: 1400, said: 'Never.', tools: [], latencyMs: 900 };
  expect(turnDifferences([quick, second], [slow])).toEqual([
    'turn 1: said “On Monday at”, now “Never.”',
    'turn 1: called look_up {"order":4711}, now no tool',
    'turn 1: answered after 400 ms, now 900 ms',
    'turn 2: “And on Sunday?” was not heard',
  ]);
  expect(turnDifferences([first], [first, second])).toEqual([
    'at 2900 ms “And on Sunday?” was heard only now',
  ]);
});
