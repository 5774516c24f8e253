// @requirement Test kit: Suites play over the loopback carrier.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  readSuite,
  runSuites,
  ScriptedModels,
  ServerApi,
  type Suite,
} from '../../../src/apps/testkit/index.ts';
import { absent, openPhones, type Phones } from '../../edge/surfaces/telephony/server.ts';
import { sampleOf } from '../../long-tests.ts';

const FOLDER = join(import.meta.dirname, '../../../src/apps/testkit/suites');
const OF_THE_TWELVE = [
  'keypad',
  'order-status',
  'interruption',
  'goodbye',
  'tool-failure',
  'opening-hours',
].map((name) =>
  readSuite(
    readFileSync(join(FOLDER, `${name}.yaml`), 'utf8').replace(/within_ms: \d+/g, 'within_ms: 60000'),
    name,
  ),
);
const OWN: Suite = {
  name: 'By telephone',
  agent: { voice_id: 'joe_en_us', persona: 'You are the desk.', builtin_tools: ['transfer'] },
  model: [
    {
      when: 'person',
      call: { name: 'transfer', arguments: { to: '+15005550020', summary: 'wants a person' } },
    },
    { say: 'How can I help?' },
  ],
  scenarios: [
    {
      name: 'goes to a person',
      steps: [{ say: 'I would like to talk to a person, please.' }, { silence_ms: 60_000 }],
      expect: { outcome: 'transferred' },
    },
    {
      name: 'a machine that hangs up',
      steps: [
        {
          voicemail: {
            greeting: 'You have reached the voicemail of Sam. Please leave a message after the tone.',
          },
          expect: { heard: 'leave a message' },
        },
        { hang_up: true },
      ],
      expect: { outcome: 'client_ended', tools: [] },
    },
  ],
};
const PERSON = `
numbers:
  '+15005550020': { ring_ms: 100, steps: [ { pause_ms: 200 }, { press: '1' }, { pause_ms: 2500 }, { hang_up: true } ] }
`;
const SUITES = [OWN, ...OF_THE_TWELVE];
const brainOf = (at: number) => `suite-${at}`;

describe.skipIf(absent)('suites over the loopback carrier', () => {
  let models: ScriptedModels;
  let phones: Phones;
  beforeAll(async () => {
    models = await ScriptedModels.start();
    const brains = SUITES.flatMap(({ model }, at) =>
      model === undefined ? [] : [{ name: brainOf(at), model: 'played', url: models.add(model) }],
    );
    phones = await openPhones(PERSON, { TRUNKLINE_BRAINS: JSON.stringify(brains) });
  }, 240_000);
  afterAll(async () => {
    models?.close();
    await phones?.stop();
  });

  it.each(sampleOf(SUITES, 2))(
    'plays $name',
    async (suite) => {
      const brain = suite.model === undefined ? null : brainOf(SUITES.indexOf(suite));
      const api = new ServerApi(phones.url, phones.authorization.replace('Bearer ', ''));
      const options = {
        api,
        similarity: null,
        persona: null,
        over: 'carrier' as const,
        onResult: () => undefined,
      };
      const results = await runSuites([{ suite, file: '', folder: '.', brain }], options);
      const faults = results.flatMap(({ trials }) =>
        trials.flatMap(({ error, verdicts, call }) =>
          [
            error,
            ...verdicts.filter(({ passed }) => !passed),
            call?.callId === null ? 'no record' : null,
          ].filter((fault) => fault !== null),
        ),
      );
      expect(faults).toEqual([]);
      const { body: calls } = await phones.send('GET', '/v1/telephony/calls?limit=100');
      const ids = results.map(({ trials }) => trials[0]?.call?.callId);
      expect(calls.data.map((call: { omni_call_id: string }) => call.omni_call_id)).toEqual(
        expect.arrayContaining(ids),
      );
      const { body: numbers } = await phones.send('GET', '/v1/telephony/numbers');
      expect(numbers.data.filter(({ status }: { status: string }) => status === 'active')).toEqual([]);
    },
    240_000,
  );

  it('says what a telephone has not, before anybody is called', async () => {
    const { agent: _, ...rest } = OWN;
    const suite = { ...rest, agent_id: await phones.agent(), tools: { look_up: { result: 1 } } };
    const api = new ServerApi(phones.url, phones.authorization.replace('Bearer ', ''));
    const options = {
      api,
      similarity: null,
      persona: null,
      over: 'carrier' as const,
      onResult: () => undefined,
    };
    const playing = runSuites([{ suite, file: '', folder: '.', brain: null }], options);
    await expect(playing).rejects.toThrow(
      'goes to a person is called over the carrier, where tools are mocked for an agent that the suite brings',
    );
  });
});
