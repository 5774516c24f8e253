// @requirement Trace: Judgements and records work on SQLite and PostgreSQL.
/** An ended conversation is judged once, whatever process dies between verdict and event. */

import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { LeaseLostError, type RunningJob, type Trx } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { acrossTenants, withinTenant } from '../../../src/foundation/storage/index.ts';
import {
  AT_FIRST,
  builtinPacks,
  callConversation,
  conversationOf,
  interactionSweep,
  jobConversation,
  judge,
  judging,
  redactedTranscript,
  redactionBy,
  tracePersonalData,
  wantedOf,
} from '../../../src/products/trace/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { plainInputs } from './judgement-inputs.ts';
import { openTrace } from './server.ts';

const HERE = scopeFor('org_a');
const place = { org_id: 'org_a', project_id: HERE.project, environment: HERE.environment };
const TRANSCRIPT = [
  { role: 'agent', turn_id: 1, text: 'Hello, this is Ava from Harbor Dental.', start_ms: 0, end_ms: 3000 },
  { role: 'user', turn_id: 2, text: "Don't call me again.", start_ms: 3500, end_ms: 5000 },
];

const SOLD = [
  { role: 'user', turn_id: 1, text: 'What do you offer?', start_ms: 0, end_ms: 1000 },
  {
    role: 'agent',
    turn_id: 2,
    text: 'Cleaning costs 80 dollars. Whitening costs 90 dollars.',
    start_ms: 1500,
    end_ms: 5000,
  },
];

onBothDatabases('a call that has ended', (databases) => {
  async function open() {
    const trace = await openTrace({ storage: await databases.open() });
    const { storage, blobs, queue, settings, packs, interactions } = trace;
    const following = judging({ storage, blobs, queue, settings, packs, interactions });
    await settings.put(HERE, null, {
      ...(await settings.of(HERE, null)),
      enabled: true,
      webhook_url: 'https://example.com/hook',
    });
    const row = {
      ...SEEDS.omni_calls('x', 1),
      external_id: '+12125550123',
      transcript: JSON.stringify(TRANSCRIPT),
    };
    await withinTenant(storage.db, HERE).insertInto('omni_calls', row).execute();
    await storage.transaction((trx) => following.ended(trx, { kind: 'call', id: row.id, ...place }));
    const rows = async () => ({
      interactions: await acrossTenants(storage.db).selectFrom('trace_interactions').selectAll().execute(),
      events: await acrossTenants(storage.db).selectFrom('webhook_events').select(['type', 'body']).execute(),
      suppressions: await acrossTenants(storage.db).selectFrom('trace_suppressions').selectAll().execute(),
    });
    return { ...trace, following, id: row.id, rows };
  }

  // @requirement Trace: A request not to be called is listed in the same transaction.
  it('is judged by the worker, which tells of it once and takes the number off the calls to come', async () => {
    const { following, queue, storage, rows, id } = await open();
    following.start();
    await expect.poll(async () => await queue.view(storage.db, `trace ${id}`)).toBeNull();
    await following.stop(0);
    const { interactions, events, suppressions } = await rows();
    expect(interactions).toMatchObject([{ source_kind: 'call', source_id: id, external_id: '+12125550123' }]);
    expect(events.map(({ type }) => type)).toEqual(['trace.interaction.evaluated']);
    expect(JSON.parse(events[0]!.body).data.id).toBe(interactions[0]!.id);
    expect(suppressions).toMatchObject([
      { phone_number: '+12125550123', interaction_id: interactions[0]!.id },
    ]);
  });

  // @requirement Trace: A process that is killed before its transaction leaves nothing.
  it('leaves nothing of a try that dies before its transaction is over', async () => {
    const { following, storage, rows, id } = await open();
    const dying: RunningJob = {
      id: `trace ${id}`,
      tenant: 'org_a',
      payload: { kind: 'call', id, ...place },
      attempt: 1,
      maxAttempts: 5,
      checkpoint: async () => {},
      postpone: async () => {},
      complete: async (store: (trx: Trx) => Promise<void>) =>
        await storage.transaction(async (trx) => {
          await store(trx);
          throw new LeaseLostError(id);
        }),
    };
    await expect(following.definition.run(dying, new AbortController().signal)).rejects.toThrow(
      LeaseLostError,
    );
    expect(await rows()).toEqual({ interactions: [], events: [], suppressions: [] });
  });

  // @requirement Trace: The rules of a call read its recording and its knowledge.
  it('brings the first sample that was kept, and what stands in the documents that its agent was given', async () => {
    const { storage, blobs } = await open();
    const own = withinTenant(storage.db, HERE);
    const text = 'Cleaning costs 80 dollars. Whitening costs 200 dollars.';
    const document = { ...SEEDS.knowledge_documents('x', 1), generation: 2 };
    await own.insertInto('knowledge_documents', document).execute();
    const chunk = { ...SEEDS.knowledge_chunks('x', 1), document_id: document.id, generation: 2, text };
    const older = { ...chunk, generation: 1, text: 'Cleaning costs 10 dollars.' };
    await own.insertInto('knowledge_chunks', [older, chunk]).execute();
    const call = async (turns: object) => {
      const row = {
        ...SEEDS.omni_calls('x', 1),
        transcript: JSON.stringify(SOLD),
        turns: JSON.stringify(turns),
      };
      await own.insertInto('omni_calls', row).execute();
      return row.id;
    };
    const given = await call({
      of_bases: true,
      grounding: [{ turn_id: 1, passages: [{ document_id: chunk.document_id }] }],
    });
    const recording = {
      ...SEEDS.call_recordings('x', 1),
      id: given,
      status: 'success' as const,
      starts_at_ms: 500,
    };
    await own.insertInto('call_recordings', recording).execute();
    const raw = (await callConversation(storage.db, HERE, given, blobs))!;
    expect(raw).toMatchObject({ recordedFromMs: 500, knowledge: [text] });
    const { pack, id } = builtinPacks().find(({ pack: { pack_id } }) => pack_id === 'brand-voice')!;
    const claims = {
      id,
      pack: { ...pack, rules: pack.rules.filter(({ kind }) => kind === 'unsupported_claim') },
    };
    const conversation = conversationOf(raw);
    const inputs = await plainInputs().learn(wantedOf(conversation, [claims]));
    const { results } = judge(conversation, [claims], inputs);
    expect(results.map(({ evidence }) => evidence.quote)).toEqual(['Whitening costs 90 dollars.']);
    const inVain = await callConversation(
      storage.db,
      HERE,
      await call({ of_bases: true, grounding: [] }),
      blobs,
    );
    expect(inVain).toMatchObject({ knowledge: [], recordedFromMs: null });
    const elsewhere = await callConversation(storage.db, HERE, await call({ grounding: [] }), blobs);
    expect(elsewhere).toMatchObject({ knowledge: null });
    const other = await callConversation(storage.db, scopeFor('org_b'), given, blobs);
    expect(other).toBeNull();
  });

  // @requirement Recap: The summary has the language that the job asks for.
  it('brings the language in which a job wants its summary', async () => {
    const { storage } = await open();
    const job = (request: object) => ({
      ...SEEDS.transcription_jobs('x', 1),
      status: 'completed' as const,
      language: 'en',
      request: JSON.stringify(request),
    });
    const jobs = [job({ summaryLanguage: 'es' }), job({ summaryLanguage: null })];
    const document = JSON.stringify({ text: '', words: [], segments: [] });
    for (const row of jobs) {
      await withinTenant(storage.db, HERE).insertInto('transcription_jobs', row).execute();
      await acrossTenants(storage.db)
        .insertInto('transcription_results')
        .values({ job_id: row.id, document })
        .execute();
    }
    const [spanish, own] = [
      await jobConversation(storage.db, HERE, jobs[0]!.id),
      await jobConversation(storage.db, HERE, jobs[1]!.id),
    ];
    expect(spanish).toMatchObject({ language: 'en', summaryLanguage: 'es' });
    expect(own).not.toHaveProperty('summaryLanguage');
  });

  it('takes the two channels of a recording for the sides of its call, and one channel for nobody’s', async () => {
    const { storage } = await open();
    const saidBy = async (...channels: number[]) => {
      const row = { ...SEEDS.transcription_jobs('x', 1), status: 'completed' as const };
      const segments = channels.map((channel, at) => ({
        ...{ speaker: null, channel, text: `line ${at}` },
        ...{ start: at, end: at + 1 },
      }));
      await withinTenant(storage.db, HERE).insertInto('transcription_jobs', row).execute();
      await acrossTenants(storage.db)
        .insertInto('transcription_results')
        .values({ job_id: row.id, document: JSON.stringify({ text: '', words: [], segments }) })
        .execute();
      const said = async (roles = {}) =>
        (await jobConversation(storage.db, HERE, row.id, roles))!.utterances.map(({ speaker }) => speaker);
      return { said: await said(), corrected: await said({ 'channel 0': 'agent' }) };
    };
    expect(await saidBy(0, 1, 0)).toEqual({
      said: ['customer', 'agent', 'customer'],
      corrected: ['agent', 'agent', 'agent'],
    });
    expect((await saidBy(0, 0)).said).toEqual(['unknown', 'unknown']);
  });

  it('is forgotten with its person, and its words when their time is over', async () => {
    const { following, queue, storage, rows, clock, id } = await open();
    following.start();
    await expect.poll(async () => await queue.view(storage.db, `trace ${id}`)).toBeNull();
    await following.stop(0);
    const sweep = interactionSweep({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: async () => ({ ...DEFAULT_RETENTION, transcript: 365 }),
    });
    await sweep.sweep();
    expect((await rows()).interactions[0]!.document).not.toBeNull();
    clock.advance(366 * 86_400_000);
    await sweep.sweep();
    expect((await rows()).interactions[0]!.document).toBeNull();
    const person = { externalId: '+12125550123', until: clock.now() };
    const personalData = tracePersonalData(storage);
    expect(
      await personalData.erase(scopeFor('org_b'), person, { among: async () => new Set() }),
    ).toMatchObject({
      records: [],
    });
    const removed = await personalData.erase(HERE, person, { among: async () => new Set() });
    expect(removed.counts).toEqual({ interactions: 1 });
    const after = await rows();
    expect([after.interactions.length, after.suppressions.length]).toEqual([0, 1]);
  });
});

// @requirement Trace: Transcripts are redacted before they are stored, as the agent is configured.
it('keeps transcripts without numbers that were said over several turns', async () => {
  const said = ['My card is 4111 1111', 'yes', '1111 1111.'].map((text) => ({ role: 'user', text }));
  expect(JSON.stringify(await redactedTranscript(said, 'org'))).not.toMatch(/1111/);
  expect((await redactedTranscript(said, 'org'))[1]).toEqual({ role: 'user', text: expect.any(String) });
});

it('keeps them so for the agents whose configuration says it', async () => {
  const { settings } = await openTrace();
  await settings.put(HERE, 'agt_a', { ...AT_FIRST, redact_records: true });
  const said = [{ role: 'user', text: 'My card is 4111 1111 1111 1111.' }];
  const stored = redactionBy(settings);
  expect(await stored(HERE, 'agt_a', [said])).toEqual([
    [{ role: 'user', text: 'My card is [REDACTED_CARD].' }],
  ]);
  expect(await stored(HERE, 'agt_b', [said])).toEqual([said]);
  expect(await stored(scopeFor('org_b'), 'agt_a', [said])).toEqual([said]);
});
