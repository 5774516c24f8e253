// @requirement Privacy: No personal value leaves through a surface, log or metric.
/**
 * Plants a key, a password, a card number and a spoken phrase in every surface, and searches logs, metrics, traces
 * and error texts for them, which must hold no customer data.
 */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/foundation/platform/log.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { wavHeader } from '../../src/media/codec/index.ts';
import { CASES } from '../contract/cases/index.ts';
import { credential } from '../contract/checks.ts';
import { type DescribedOperation, operationsOf } from '../contract/operations.ts';
import { OPERATOR_TOKEN, World } from '../contract/world.ts';
import { sampleOf } from '../long-tests.ts';
import { type Elsewhere, echoing } from './elsewhere.ts';
import { spokenBy, type Walked, walkRoutes, walkSockets } from './walk.ts';

const needed = ['silero-vad', 'whisper-base', 'moonshine-tiny-en', 'piper-joe', 'espeak-ng'];
const models = new Models();
const absent = needed.filter((id) => !models.status(id).ready).join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

const PHRASE = 'The purple elephant forgot an umbrella in Barcelona.';
const SPOKEN = /elephant|umbrella|barcelona/i;
const PASSWORD = 'correct-zebra-battery-staple';
const CARD = '4539148803436467';
const BRAIN_KEY = 'brain-key-of-the-canaries';

const logged: string[] = [];
const destination = new Writable({
  write(chunk, _encoding, done) {
    logged.push(String(chunk));
    done();
  },
});

let world: World;
let customer: Elsewhere;
let model: Elsewhere;
let collector: Elsewhere;
let stopped = false;
const stop = async () => {
  if (stopped) return;
  stopped = true;
  await world.stop();
};

beforeAll(async () => {
  if (absent) return;
  customer = await echoing(500);
  model = await echoing(400);
  collector = await echoing(200);
  world = await World.open({
    log: createLog({ level: 'trace', destination }),
    settings: {
      TRUNKLINE_LOG_LEVEL: 'trace',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      TRUNKLINE_BRAIN_URL: model.url,
      TRUNKLINE_BRAIN_MODEL: 'refusing',
      TRUNKLINE_BRAIN_KEY: BRAIN_KEY,
      TRUNKLINE_OTLP_URL: collector.url,
    },
  });
}, 120_000);
afterAll(async () => {
  if (absent) return;
  await stop();
  for (const one of [customer, model, collector]) await one.close();
});

const canaries = (): Record<string, RegExp> => ({
  'a key': new RegExp(world.ours.key.slice(-30)),
  'a session': new RegExp(world.ours.session.slice(-30)),
  'the operator’s token': new RegExp(OPERATOR_TOKEN),
  'the key of the language model': new RegExp(BRAIN_KEY),
  'a password': new RegExp(`${PASSWORD}|${world.ours.password}`),
  'a card number': new RegExp(`${CARD}|${CARD.match(/.{4}/g)?.join('[ -]?')}`),
  'a phrase': SPOKEN,
});

const around = (text: string, pattern: RegExp): string => {
  const at = text.search(pattern);
  return text.slice(Math.max(0, at - 200), at + 200);
};

function expectNone(where: string, texts: readonly string[]): void {
  for (const [what, pattern] of Object.entries(canaries())) {
    const found = texts.filter((text) => pattern.test(text));
    expect(
      found.slice(0, 5).map((text) => around(text, pattern)),
      `${what} in ${where}`,
    ).toEqual([]);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: schemas and bodies of every route.
type Json = any;

const said = () => `${PHRASE} My card is ${CARD}. ${PASSWORD} ${world.ours.key}`;

function planted(json: Json, { body, name }: DescribedOperation): Json {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return json;
  const properties = (body as Json)?.properties ?? {};
  const one = CASES[name];
  const text = one?.costly || one?.needsModels ? 'An elephant.' : said();
  return Object.fromEntries(
    Object.entries(json).map(([field, value]) => {
      const schema = properties[field];
      return [field, isFree(schema) ? text.slice(0, schema.maxLength ?? 1_000) : value];
    }),
  );
}

const isFree = (schema: Json): boolean =>
  schema?.type === 'string' &&
  ['enum', 'const', 'pattern', 'format'].every((rule) => schema[rule] === undefined) &&
  (schema.maxLength ?? 1_000) >= 20;

async function wrongOnes(operation: DescribedOperation): Promise<Walked[]> {
  const headers = credential(operation, world.ours);
  const walked: Walked[] = [];
  const ask = async (path: string, more: object) =>
    walked.push({
      name: operation.name,
      answer: await world.send(path, { method: operation.method, headers, ...more }),
    });
  const path = operation.path.replace(/\{[^}]+\}/g, encodeURIComponent(said()));
  if (path !== operation.path) await ask(path, {});
  for (const { name } of operation.parameters.filter((each) => each.in === 'query'))
    await ask(`${path}?${new URLSearchParams({ [name]: said() })}`, {});
  await ask(`${path}?${new URLSearchParams({ [said()]: 'x' })}`, {});
  const fields = Object.keys((operation.body as Json)?.properties ?? {});
  const bodies = [...fields.map((name) => ({ [name]: [said()] })), { [said()]: 1 }];
  const json = { headers: { ...headers, 'content-type': 'application/json' } };
  if (operation.body === undefined) return walked;
  for (const body of bodies) await ask(path, { ...json, body: JSON.stringify(body) });
  await ask(path, { ...json, body: `{"text": "${said()}` });
  return walked;
}

const errorsOf = (walked: readonly Walked[]): string[] =>
  walked.filter(({ answer }) => answer.status >= 400).map(({ name, answer }) => `${name}: ${answer.text}`);

describe.skipIf(absent)('canaries', () => {
  it('stay out of logs, metrics, traces and errors when they are written', { timeout: 240_000 }, async () => {
    const good = await walkRoutes(world, { elsewhere: customer.url, plant: planted, every: 3 });
    expect(good.filter(({ answer }) => answer.status < 300).length).toBeGreaterThan(30);
    expect(good.some(({ answer }) => SPOKEN.test(answer.text))).toBe(true);
    const wrong: Walked[] = [];
    for (const operation of sampleOf(operationsOf(world.openapi), 12))
      wrong.push(...(await wrongOnes(operation)));
    for (const password of [PASSWORD, world.ours.password])
      wrong.push({
        name: 'sign-in',
        answer: await world.send('/auth/login', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: world.ours.email, password }),
        }),
      });
    expectNone('the texts of errors', errorsOf([...good, ...wrong]));
    expectNone('the log', logged);
  });

  it('stay out of them when they are spoken', { timeout: 120_000 }, async () => {
    const pcm = await spokenBy(world, PHRASE);
    const header = wavHeader({ sampleRate: 16_000, channels: 1, sample: 's16' }, pcm.length);
    const form = new FormData();
    form.append('file', new Blob([header, pcm]), `${PHRASE}.wav`);
    const heard = await world.send('/v1/audio/transcriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${world.ours.key}` },
      body: form,
    });
    expect(heard.text).toMatch(SPOKEN);
    const reported = await walkSockets(world, {
      pcm,
      hello: {
        '/v1/omni': { type: 'configure', voice_id: 'joe_en_us', persona: said() },
        '/v1/amd/stream': {
          event: 'start',
          streamSid: 'MZ1',
          start: { streamSid: 'MZ1', customParameters: { api_key: world.ours.key } },
        },
      },
      goodbye: {
        '/v1/audio/transcriptions/stream': { type: 'close' },
        '/deepgram/v1/listen': { type: 'CloseStream' },
        '/v1/amd/stream': { event: 'stop', streamSid: 'MZ1' },
      },
    });
    for (const address of ['/v1/audio/transcriptions/stream', '/deepgram/v1/listen', '/v1/omni'])
      expect(reported[address]?.join('\n'), address).toMatch(SPOKEN);
    expect(model.received.join('\n'), 'the model was asked, and said it again').toMatch(SPOKEN);
    const errors = Object.values(reported)
      .flat()
      .filter((text) => /"error"/.test(text));
    expectNone('the errors of sockets', errors);
  });

  it('are nowhere in what was gathered meanwhile', { timeout: 60_000 }, async () => {
    const metrics = await world.send('/metrics', { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
    expect(metrics.text).toContain('trunkline_');
    expectNone('metrics', [metrics.text]);
    await stop();
    expect(collector.received.length).toBeGreaterThan(0);
    expectNone('traces', collector.received);
    expect(logged.length).toBeGreaterThan(50);
    expectNone('the log', logged);
  });
});
