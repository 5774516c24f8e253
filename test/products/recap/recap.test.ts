// @requirement Recap: Scorecards measure latency.
// @requirement Trace: Judgements and records work on SQLite and PostgreSQL.
// @requirement Events: `recap.complete` delivers the call's identity and record.
/** A record is made once from the spoken words, and again when a person corrects the speakers. */

import { expect, it } from 'vitest';
import type { Brain, BrainEvent, BrainRequest } from '../../../src/conversation/brains/index.ts';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { acrossTenants, withinTenant } from '../../../src/foundation/storage/index.ts';
import {
  type Criterion,
  type CriterionJudge,
  extract,
  factsOf,
  judgeByModel,
  RecapCalls,
  RecapSettingsStore,
  recapPersonalData,
  recapSweep,
  recording,
  Scorecards,
  summarizeByModel,
  viewOf,
} from '../../../src/products/recap/index.ts';
import { conversationOf } from '../../../src/products/trace/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';
import { openTrace, turnsOf } from '../trace/server.ts';

const HERE = scopeFor('org_a');
const place = { org_id: 'org_a', project_id: HERE.project, environment: HERE.environment };

const talk = (language: string, ...turns: [speaker: 'agent' | 'customer', text: string][]) =>
  conversationOf({
    source: { kind: 'transcript', id: null },
    language,
    utterances: turnsOf(...turns).map(({ speaker, text, start_ms, end_ms }) => ({
      speaker,
      text,
      startMs: start_ms,
      endMs: end_ms,
    })),
  });

const NOBODY = { fields: [], webhookUrl: null };

const VERDICTS = JSON.stringify({
  criteria: [{ number: 0, value: true, quote: 'I hope so', reason: 'They do.' }],
});

const saying = (text: string): Brain => ({
  name: 'scripted',
  async *respond(): AsyncGenerator<BrainEvent> {
    yield { kind: 'text', text };
  },
});

const CALL = talk(
  'en',
  ['customer', 'The boiler is broken and the flat is cold.'],
  ['agent', 'I will send a plumber for the boiler tomorrow.'],
  ['customer', 'What will it cost?'],
);

// @requirement Recap: A quote that nobody said is dropped.
it('drops what a model quotes and nobody said, and what has the wrong type', async () => {
  const answer = {
    summary: [
      { text: 'The boiler is broken.', quote: 'the boiler is broken' },
      { text: 'They want a refund.', quote: 'I want a refund' },
    ],
    action_items: [{ text: 'Send a plumber', quote: 'send a plumber', owner: 'agent', due: '2026-11-23' }],
    sentiment: [
      { turn: 0, value: -0.5 },
      { turn: 1, value: 1 },
    ],
    outcome: 'follow_up',
    crm: {
      device: { value: 'boiler', quote: 'boiler is broken' },
      price: { value: 'much', quote: 'What will it cost' },
    },
  };
  const reported = await summarizeByModel(saying(`Here it is: ${JSON.stringify(answer)}`), CALL, [
    { name: 'device', type: 'string', description: 'which device' },
    { name: 'price', type: 'number', description: 'the price' },
  ]);
  expect(reported).toMatchObject({
    by: 'model',
    summary: [{ text: 'The boiler is broken.', speaker: 'customer', start_ms: 0 }],
    action_items: [{ owner: 'agent', due: '2026-11-23' }],
    sentiment: { overall: -0.5 },
    dropped: 2,
  });
  expect(reported?.crm_fields).toEqual({ device: { value: 'boiler', quote: 'boiler is broken' } });
});

// @requirement Recap: The summary has the language that the job asks for.
it('has the model write in the language that a job asks for, and quote as it was said', async () => {
  const asked: BrainRequest[] = [];
  const brain: Brain = {
    name: 'listening',
    async *respond(request): AsyncGenerator<BrainEvent> {
      asked.push(request);
      const summary = [{ text: 'La caldera está rota.', quote: 'the boiler is broken' }];
      yield { kind: 'text', text: JSON.stringify({ summary }) };
    },
  };
  const reported = await summarizeByModel(brain, { ...CALL, summaryLanguage: 'es' }, []);
  expect(reported?.summary).toMatchObject([{ text: 'La caldera está rota.', quote: 'the boiler is broken' }]);
  await summarizeByModel(brain, CALL, []);
  expect(asked.map(({ language }) => language)).toEqual(['es', 'en']);
  expect(asked[0]?.persona).toContain('in Spanish');
});

it.each(['no JSON at all', '{"summary": 5}', '{"summary": [{"text": "x", "quote": "never said by them"}]}'])(
  'takes nothing from a model that answers %s',
  async (answer) => {
    expect(await summarizeByModel(saying(answer), CALL, [])).toBeNull();
  },
);

it.each([
  ['en', 'I will call you back tomorrow.'],
  ['es', 'Le llamaremos mañana por la tarde.'],
  ['fr', 'Je vous rappelle demain matin.'],
  ['de', 'Ich werde Ihnen morgen schreiben.'],
  ['hi', 'मैं कल आपको फोन करूँगा।'],
])('finds what was promised in %s without a model', (language, promise) => {
  const reported = extract(talk(language, ['customer', 'Hm.'], ['agent', promise]));
  expect(reported).toMatchObject({ by: 'extractive', outcome: 'follow_up', promises: [{ quote: promise }] });
});

// @requirement Recap: Sentiment and due dates need no model.
it.each([
  ['en', 'This is terrible, my boiler is broken.', 'Thank you, that is very helpful.', 'That is not good.'],
  ['es', 'Esto es horrible, la caldera está rota.', 'Muchas gracias, perfecto.', 'No está bien.'],
  ['fr', 'C’est inacceptable, je suis déçu.', 'Merci beaucoup, c’est parfait.', 'Ce n’est pas bien.'],
  ['de', 'Das ist eine Unverschämtheit, ich bin enttäuscht.', 'Danke, das ist super.', 'Das ist nicht gut.'],
  ['hi', 'यह बहुत खराब है, मैं परेशान हूँ।', 'धन्यवाद, बहुत बढ़िया।', 'यह अच्छा नहीं है।'],
])(
  'tells how the customer feels over time in %s without a model, and never the agent',
  (language, bad, good, no) => {
    const call = talk(
      language,
      ['customer', bad],
      ['agent', bad],
      ['customer', good],
      ['customer', no],
      ['customer', '12345.'],
    );
    const { sentiment } = extract(call);
    expect(sentiment.over_time).toEqual([
      { at_ms: 0, value: -1 },
      { at_ms: 10_000, value: 1 },
      { at_ms: 15_000, value: -1 },
    ]);
    expect(sentiment.overall).toBe(-0.33);
  },
);

it.each([
  ['en', 'I will call you back tomorrow.', '2026-11-25'],
  ['es', 'Le llamaremos el viernes.', '2026-11-27'],
  ['fr', 'Je vous rappelle demain.', '2026-11-25'],
  ['de', 'Ich werde Ihnen in drei Tagen schreiben.', '2026-11-27'],
  ['hi', 'मैं कल फोन करूँगा।', '2026-11-25'],
  ['en', 'I will call you back on Monday or Tuesday.', null],
])('says by when, in %s: %s', (language, promise, due) => {
  const call = {
    ...talk(language, ['customer', 'Hm.'], ['agent', promise]),
    startedAt: Date.UTC(2026, 10, 24, 15),
  };
  expect(extract(call).action_items).toMatchObject([{ owner: 'agent', due }]);
  expect(extract({ ...call, startedAt: null }).action_items).toMatchObject([{ due: null }]);
});

// @requirement Recap: An extractive summary has only sentences of the call.
it('says only sentences of the call, and which questions stayed open', () => {
  const reported = extract(CALL);
  for (const { quote } of reported.summary)
    expect(CALL.utterances.some(({ text }) => text.includes(quote))).toBe(true);
  expect(reported.unanswered_questions.map(({ quote }) => quote)).toEqual(['What will it cost?']);
  expect(reported.topics).toContain('boiler');
  expect(factsOf(CALL).talk_ratio).toEqual({ agent: 0.333, customer: 0.667, unknown: 0 });
});

const criterion = (id: string, kind: 'yes_no' | 'scale' = 'yes_no', more: object = {}): Criterion => ({
  id,
  text: id,
  kind,
  by: 'model',
  ...more,
});

// @requirement Recap: A model judges criteria, and its quotes are checked.
it('scores by a model what it quotes rightly, and leaves the rest without a value', async () => {
  const criteria = [
    criterion('names the fault'),
    criterion('offers a refund'),
    criterion('names a price'),
    criterion('friendly', 'scale'),
    criterion('fast', 'scale', { least: 0, most: 10 }),
    criterion('patient', 'scale'),
    criterion('not answered'),
    criterion('a number for a yes'),
  ];
  const verdicts = [
    { number: 0, value: true, quote: 'The boiler is broken' },
    { number: 1, value: true, quote: 'I will refund you' },
    { number: 2, value: false, quote: '', reason: 'Nobody names one.' },
    { number: 3, value: 4, quote: 'I will send a plumber' },
    { number: 4, value: 11, quote: 'I will send a plumber' },
    { number: 5, value: 3 },
    { number: 7, value: 1, quote: 'The boiler is broken' },
    { number: 0, value: false, quote: '' },
    { number: 99, value: true, quote: 'The boiler is broken' },
  ];
  const judged = await judgeByModel(saying(JSON.stringify({ criteria: verdicts })), CALL, criteria);
  expect(Object.fromEntries([...judged].map(([{ id }, { value }]) => [id, value]))).toEqual({
    'names the fault': 1,
    'names a price': 0,
    friendly: 4,
  });
  const evidence = { quote: 'The boiler is broken', start_ms: 0 };
  expect(judged.get(criteria[0]!)?.evidence).toMatchObject([evidence]);
  for (const answer of ['no JSON', '{"criteria": 7}', '{"criteria": [{"number": -1}]}'])
    expect((await judgeByModel(saying(answer), CALL, criteria)).size).toBe(0);
});

onBothDatabases('a call that has ended', (databases) => {
  async function open(more: object = {}) {
    const { storage, clock, queue, packs, interactions, webhooks } = await openTrace({
      storage: await databases.open(),
    });
    const settings = new RecapSettingsStore(storage, clock);
    const judge: CriterionJudge = (one, criteria) => judgeByModel(saying(VERDICTS), one, criteria);
    const scorecards = new Scorecards({ storage, clock, packs, interactions, judge });
    const calls = new RecapCalls({
      storage,
      clock,
      notify: async (one) => extract(one),
      scorecards,
      webhooks,
    });
    const following = recording({ storage, blobs: blobsIn(storage, clock), queue, settings, calls });
    await settings.put(HERE, { config: { enabled: true, webhook_url: 'https://example.com/hook' } });
    const card = await scorecards.create(HERE, 'Calls', [
      { id: 'polite', text: 'No guarantees', kind: 'yes_no', by: 'rule', rule: 'brand-voice/no-guarantees' },
      { id: 'listens', text: 'Listens', kind: 'scale', by: 'metric', metric: 'agent_talk_share' },
      { id: 'hopes', text: 'Does the customer hope?', kind: 'yes_no', by: 'model' },
    ]);
    const transcript = [
      { role: 'agent', turn_id: 1, text: 'I guarantee that it works.', start_ms: 0, end_ms: 3000 },
      { role: 'user', turn_id: 2, text: 'I hope so.', start_ms: 3000, end_ms: 4000 },
    ];
    const row = {
      ...SEEDS.omni_calls('x', 1),
      external_id: 'ana',
      transcript: JSON.stringify(transcript),
      ...more,
    };
    await withinTenant(storage.db, HERE).insertInto('omni_calls', row).execute();
    const worked = async () => {
      await storage.transaction((trx) => following.ended(trx, { kind: 'call', id: row.id, ...place }));
      following.start();
      await expect.poll(async () => await queue.view(storage.db, `recap ${row.id}`)).toBeNull();
      await following.stop(0);
    };
    return { webhooks, storage, calls, scorecards, card, worked, clock };
  }

  // @requirement Recap: A call has one record, searchable, with scores by rule and metric, and one event.
  it('gets one record with its scores, and is told of once, however often it is asked for', async () => {
    const { storage, calls, scorecards, card, worked } = await open();
    await worked();
    await worked();
    const rows = await calls.list(HERE, { q: 'GUARANTEE' }, {}, null);
    expect(rows.length).toBe(1);
    for (const q of ['utterances', 'speaker', '%', '_', '"', 'gua antee'])
      expect(await calls.list(HERE, { q }, {}, null), q).toEqual([]);
    expect(viewOf(rows[0]!)).toMatchObject({
      by: 'extractive',
      talk_ratio: { agent: 0.75 },
      scores: [
        { scorecard_id: card.id, criterion_id: 'polite', value: 0, evidence: [{ quote: 'I guarantee' }] },
        { criterion_id: 'listens', value: 0.75 },
        { criterion_id: 'hopes', value: 1, evidence: [{ quote: 'I hope so', detail: 'They do.' }] },
      ],
    });
    const events = await acrossTenants(storage.db).selectFrom('webhook_events').select('type').execute();
    expect(events.map(({ type }) => type)).toEqual(['recap.complete']);
    expect(await scorecards.trends(HERE, card.id)).toMatchObject([{ mean: 1 }, { mean: 0.75 }, { mean: 0 }]);
    expect(await calls.list(scopeFor('org_b'), {}, {}, null)).toEqual([]);
  });

  it('says the share of each agent where several had it, and so do its events', async () => {
    const agents = [
      { agent_id: 'agt_00000000000000000001', agent_version: 1, from_ms: 0, context: null },
      { agent_id: 'agt_00000000000000000002', agent_version: 4, from_ms: 3500, context: 'all' },
    ];
    const { storage, calls, worked } = await open({
      turns: JSON.stringify({ turns: [], degraded: [], agents }),
    });
    await worked();
    const [row] = await calls.list(HERE, {}, {}, null);
    const shares = [
      { agent_id: 'agt_00000000000000000001', from_ms: 0, to_ms: 3500, turns: 1, talk_ms: 3000 },
      { agent_id: 'agt_00000000000000000002', agent_version: '4', from_ms: 3500, turns: 0, talk_ms: 0 },
    ];
    expect(viewOf(row!).agents).toMatchObject(shares);
    const [event] = await acrossTenants(storage.db).selectFrom('webhook_events').select('body').execute();
    expect(JSON.parse(event!.body).data.agents).toMatchObject(shares);
  });

  // @requirement Recap: Records follow the retention of transcripts, and daily scores stay.
  it('is forgotten when transcripts are, and its scores by the day stay', async () => {
    const { storage, calls, scorecards, card, worked, clock } = await open();
    await worked();
    const sweep = recapSweep({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: async () => ({ ...DEFAULT_RETENTION, transcript: 30 }),
    });
    clock.advance(29 * 86_400_000);
    await sweep.sweep();
    expect((await calls.list(HERE, {}, {}, null)).length).toBe(1);
    clock.advance(2 * 86_400_000);
    await sweep.sweep();
    expect(await calls.list(HERE, {}, {}, null)).toEqual([]);
    expect(await scorecards.trends(HERE, card.id)).toMatchObject([{ mean: 1 }, { mean: 0.75 }, { mean: 0 }]);
  });

  it('is corrected for nobody who is not in it, told of where it is, and deleted', async () => {
    const { storage, calls, worked, webhooks } = await open();
    await worked();
    const [row] = await calls.list(HERE, {}, {}, null);
    await expect(calls.correct(HERE, row!.id, { stranger: 'agent' }, NOBODY)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'speakers',
    });
    webhooks.reported.splice(0);
    const hook = { fields: [], webhookUrl: 'https://example.com/recap' };
    const view = await calls.correct(HERE, row!.id, { user: 'agent' }, hook);
    expect(webhooks.reported).toMatchObject([
      {
        type: 'recap.call.corrected',
        resource: row!.id,
        urls: [hook.webhookUrl],
        data: { version: view.version },
      },
    ]);
    expect(await calls.remove(scopeFor('org_b'), row!.id)).toBe(false);
    expect(await calls.remove(HERE, row!.id)).toBe(true);
    expect(await calls.remove(HERE, row!.id)).toBe(false);
    expect(await acrossTenants(storage.db).selectFrom('recap_scores').selectAll().execute()).toEqual([]);
  });

  // @requirement Recap: Corrections during a recomputation are reported.
  it('is worked out anew by corrected roles, and the later of two corrections is told so', async () => {
    const { storage, calls, worked, clock } = await open();
    await worked();
    const [row] = await calls.list(HERE, {}, {}, null);
    const swapped = { agent: 'customer', user: 'agent' } as const;
    const both = await Promise.allSettled([1, 2].map(() => calls.correct(HERE, row!.id, swapped, NOBODY)));
    const won = both.filter(({ status }) => status === 'fulfilled');
    expect(won.length).toBeGreaterThan(0);
    const view = viewOf((await calls.find(HERE, row!.id))!);
    expect(view).toMatchObject({
      talk_ratio: { agent: 0.25 },
      scores: [{ value: 1 }, { value: 0.25 }, { value: 1 }],
    });
    expect(view.version).toBe(1 + won.length);
    const person = { externalId: 'ana', until: clock.now() };
    const removed = await recapPersonalData(storage).erase(HERE, person, { among: async () => new Set() });
    expect(removed.counts).toEqual({ recaps: 1 });
    expect(await acrossTenants(storage.db).selectFrom('recap_scores').selectAll().execute()).toEqual([]);
  });
});
