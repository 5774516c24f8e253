// @requirement Trace: Judgements and records work on SQLite and PostgreSQL.
import { verify } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { compileProgram } from '../../running-server.ts';
import { openTrace, turnsOf } from './server.ts';

beforeAll(compileProgram, 120_000);

const PACK = {
  pack_id: 'house',
  version: '1.0.0',
  title: 'House',
  jurisdiction: 'none',
  legal_status: 'house rules',
  rules: [
    {
      id: 'discount',
      title: 'No discounts',
      kind: 'regex',
      pattern: '\\d+ percent off',
      speaker: 'agent',
      severity: 'high',
      exposure: { currency: 'EUR', least: 10, most: 20 },
      source: { title: 'house', date: '2026-11-22' },
    },
  ],
};

onBothDatabases('Trace', (databases) => {
  const open = async () => openTrace({ storage: await databases.open() });

  // @requirement Trace: Evidence names rule, version, speaker, words, times and confidence.
  it('judges a transcript, and keeps evidence without personal data', async () => {
    const { send, storage } = await open();
    const turns = turnsOf(
      ['agent', 'Hello, this is Ava from Harbor Dental. I guarantee a good price.'],
      ['customer', 'My card is 4111 1111 1111 1111, and please take me off your list.'],
    );
    const made = await send('POST', '/v1/trace/interactions', {
      transcript: { language: 'en', customer_number: '+1 212 555 0123', agent_id: 'agt_1', turns },
    });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      object: 'trace.interaction',
      verdict: 'violations',
      agent_id: 'agt_1',
    });
    expect(made.json.violations).toMatchObject([
      {
        rule_id: 'no-guarantees',
        pack_id: 'brand-voice',
        pack_version: '1.0.0',
        speaker: 'agent',
        quote: 'I guarantee',
        timing: 'utterance',
        confidence: null,
        status: 'open',
      },
    ]);
    const found = made.json.findings.map((one: { rule_id: string }) => one.rule_id);
    expect(found).toEqual(expect.arrayContaining(['payment-card', 'do-not-call']));
    const stored = await acrossTenants(storage.db).selectFrom('trace_interactions').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain('4111');
    expect((await send('GET', '/v1/trace/suppressions')).json.data).toMatchObject([
      { phone_number: '+12125550123', interaction_id: made.json.id },
    ]);
    expect((await send('GET', `/v1/trace/interactions/${made.json.id}`)).json).toEqual(made.json);
    const { data } = (await send('GET', '/v1/trace/violations?status=open&severity=medium')).json;
    expect(data).toEqual(made.json.violations);
  });

  it('counts the characters of a conversation as it was sent', async () => {
    const { send } = await open();
    const text = 'somebody.of.many.names@example.com '.repeat(500);
    const turns = Array.from({ length: 20 }, () => ['customer', text] as const);
    const transcript = {
      language: 'en',
      turns: turnsOf(...turns.map(([speaker, said]): ['customer', string] => [speaker, said])),
    };
    const refused = await send('POST', '/v1/trace/interactions', { transcript });
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatchObject({ code: 'invalid_request', param: 'transcript' });
  });

  it('takes times and confidence from the words', async () => {
    const { send } = await open();
    const words = 'I guarantee it'.split(' ').map((word, at) => ({
      word,
      start: at * 0.5,
      end: at * 0.5 + 0.4,
      confidence: [0.9, 0.4, 1][at],
    }));
    const { json } = await send('POST', '/v1/trace/interactions', {
      transcript: {
        language: 'en',
        turns: [{ speaker: 'agent', text: 'I guarantee it', start_ms: 0, end_ms: 2000, words }],
      },
      rule_packs: [{ id: 'brand-voice', severity: 'critical' }],
    });
    expect(json.violations).toMatchObject([
      { start_ms: 0, end_ms: 900, timing: 'words', confidence: 0.4, severity: 'critical' },
    ]);
    expect(json.violations[0].audio).toEqual({ start_ms: 0, end_ms: 1000 });
  });

  // @requirement Trace: The same conversation gets the same signed verdict.
  it('gives the same digest for a stored month again, and signs it', async () => {
    const { send, clock } = await open();
    const key = (await send('GET', '/v1/trace/signing-key')).json.public_key as string;
    for (let day = 0; day < 30; day++) {
      const text = day % 3 === 0 ? 'I guarantee it.' : 'It arrives tomorrow.';
      await send('POST', '/v1/trace/interactions', {
        transcript: { language: 'en', turns: turnsOf(['agent', text], ['customer', `Call ${day}.`]) },
      });
      clock.advance(86_400_000);
    }
    const { data } = (await send('GET', '/v1/trace/interactions?limit=100')).json;
    expect(data.length).toBe(30);
    for (const { id, digest, signature } of data) {
      const again = await send('POST', `/v1/trace/interactions/${id}/rerun`);
      expect(again.json).toMatchObject({ digest, digest_now: digest, same: true });
      expect(verify(null, Buffer.from(digest), key, Buffer.from(signature, 'base64'))).toBe(true);
    }
  });

  // @requirement Trace: A tenant's rule packs have immutable versions and tests of their own.
  // @requirement Trace: Exposure adds up the cost of violations.
  it('takes packs whose versions never change, tries them on the past, and adds up what they cost', async () => {
    const { send } = await open();
    const turns = turnsOf(['agent', 'You get 20 percent off today.']);
    const past = await send('POST', '/v1/trace/interactions', {
      transcript: { language: 'en', turns },
      rule_packs: [{ id: 'PII' }],
    });
    const dry = await send('POST', '/v1/trace/rule-packs/dry-run', { spec: PACK });
    expect(dry.json.interactions).toMatchObject([
      { id: past.json.id, verdict: 'violations', results: [{ quote: '20 percent off' }] },
    ]);
    const made = await send('POST', '/v1/trace/rule-packs', { spec: PACK });
    expect(made.status).toBe(201);
    expect(made.json.id).toMatch(/^tpack_/);
    expect(made.headers.get('etag')).toBe(`"${made.json.etag}"`);
    expect((await send('POST', '/v1/trace/rule-packs', { spec: PACK })).json.id).toBe(made.json.id);
    const other = await send('POST', '/v1/trace/rule-packs', { spec: { ...PACK, title: 'Other' } });
    expect([other.status, other.json.error.code]).toEqual([409, 'version_conflict']);
    const yaml =
      'pack_id: house\nversion: 1.1.0\ntitle: House\njurisdiction: none\nlegal_status: x\nrules:\n- {id: a, title: a, kind: silence, longest_s: 2, severity: low, source: {title: x, date: 2026-01-01}}\n';
    expect((await send('POST', '/v1/trace/rule-packs', { yaml })).status).toBe(201);
    const judged = await send('POST', '/v1/trace/interactions', {
      transcript: { language: 'en', agent_id: 'agt_1', turns },
      rule_packs: [{ id: made.json.id }],
    });
    const [violation] = judged.json.violations;
    expect((await send('GET', '/v1/trace/exposure?by=pack,agent,day')).json.data).toEqual([
      {
        pack_id: 'house',
        agent_id: 'agt_1',
        day: '2026-09-21',
        currency: 'EUR',
        violations: 1,
        open: 1,
        least_micros: 10_000_000,
        most_micros: 20_000_000,
      },
    ]);
    const path = `/v1/trace/violations/${violation.id}`;
    expect((await send('PATCH', path, { status: 'dismissed' })).json.error.param).toBe('reason');
    const moved = await send('PATCH', path, { status: 'dismissed', reason: 'agreed before' });
    expect(moved.json.moves).toMatchObject([{ from: 'open', to: 'dismissed', reason: 'agreed before' }]);
    expect((await send('PATCH', path, { status: 'remediated' })).status).toBe(400);
    expect((await send('GET', '/v1/trace/exposure')).json.data[0]).toMatchObject({
      violations: 1,
      open: 0,
      most_micros: 0,
    });
    const old = { 'if-match': '"something else"' };
    const retired = await send('PATCH', `/v1/trace/rule-packs/${made.json.id}`, { status: 'retired' }, old);
    expect(retired.status).toBe(409);
    const remove = (id = made.json.id, headers = {}) =>
      send('DELETE', `/v1/trace/rule-packs/${id}`, undefined, headers);
    expect((await remove(made.json.id, old)).status).toBe(409);
    const named = { enabled: true, rule_packs: [{ id: made.json.id }] };
    expect((await send('PUT', '/v1/trace/config', named)).status).toBe(200);
    expect((await remove()).json.error).toMatchObject({ code: 'invalid_request', param: 'id' });
    expect((await send('PUT', '/v1/trace/config', { rule_packs: [] })).status).toBe(200);
    expect((await remove()).json).toEqual({ id: made.json.id, object: 'trace.rule_pack', deleted: true });
    expect((await remove()).status).toBe(404);
    const [builtin] = (await send('GET', '/v1/trace/rule-packs')).json.data;
    expect((await remove(builtin.id)).status).toBe(400);
  });

  it.each(['it', 'pt', 'nl'])(
    'judges a transcript in %s by what needs no words of the language',
    async (language) => {
      const { send } = await open();
      const transcript = { language, turns: [{ speaker: 'agent', text: 'Buongiorno.' }] };
      const answer = await send('POST', '/v1/trace/interactions', {
        transcript,
        rule_packs: [{ id: 'brand-voice' }],
      });
      expect([answer.status, answer.json.verdict]).toEqual([201, 'clean']);
      expect(answer.json.unjudged.map(({ reason }: { reason: string }) => reason)).toContain('language');
    },
  );

  // @requirement Trace: Rules have bounded work.
  it.each([
    ['a pattern with a back-reference', { ...PACK.rules[0], pattern: '(a)\\1' }, 'spec.rules.0.pattern'],
    [
      'a pattern that repeats without end',
      { ...PACK.rules[0], pattern: '((a{90}){90}){90}' },
      'spec.rules.0.pattern',
    ],
    ['a kind that there is none of', { ...PACK.rules[0], kind: 'magic' }, 'spec.rules.0'],
    ['a rule without its source', { ...PACK.rules[0], source: undefined }, 'spec.rules.0'],
  ])('refuses %s', async (_what, rule, param) => {
    const { send } = await open();
    const answer = await send('POST', '/v1/trace/rule-packs', { spec: { ...PACK, rules: [rule] } });
    expect(answer.status).toBe(400);
    expect(answer.json.error.param).toContain(param);
  });

  it('refuses a pack whose own examples do not hold', async () => {
    const { send } = await open();
    const rule = { ...PACK.rules[0], examples: [{ turns: [{ agent: 'Hello.' }], expect: 'hit' }] };
    const answer = await send('POST', '/v1/trace/rule-packs', { spec: { ...PACK, rules: [rule] } });
    expect(answer.json.error.message).toBe('Example 0 of discount expects hit, but the rule returns none.');
  });

  // @requirement Trace: The dial gate checks consent, hours and attempts, also for concurrent requests.
  it('lets calls through the gate that somebody agreed to, at their hours, and not too often', async () => {
    const { send, clock } = await open();
    const ask = async (to = '+12125550123') => (await send('POST', '/v1/trace/gate', { to })).json;
    const codes = async (to?: string) => (await ask(to)).reasons.map(({ code }: { code: string }) => code);
    expect(await codes()).toEqual(['no_consent']);
    expect(await codes('123')).toEqual(['invalid_number']);
    expect(await codes('+15005550001')).toContain('unknown_time_zone');
    const consent = { phone_number: '+12125550123', basis: 'written', obtained_at: clock.now() - 1 };
    const given = await send('POST', '/v1/trace/consents', consent);
    expect(given.status).toBe(201);
    expect(await ask()).toMatchObject({ allowed: true, reasons: [], consent: { basis: 'written' } });
    const [listed, others] = await Promise.all(
      ['%2B12125550123', '%2B12125550124'].map((number) =>
        send('GET', `/v1/trace/consents?phone_number=${number}`),
      ),
    );
    expect([listed!.json.data, others!.json.data]).toEqual([[given.json], []]);
    const revoke = () => send('POST', `/v1/trace/consents/${given.json.id}/revoke`);
    const revoked = await revoke();
    expect(revoked.json).toEqual({ ...given.json, revoked_at: clock.now() });
    expect((await revoke()).json).toEqual(revoked.json);
    expect(await codes()).toEqual(['no_consent']);
    expect((await send('POST', '/v1/trace/consents/tcon_00000000000000000000/revoke')).status).toBe(404);
    expect((await send('POST', '/v1/trace/consents', { ...consent, obtained_at: clock.now() })).status).toBe(
      201,
    );
    clock.advance(8 * 3_600_000);
    expect((await ask()).reasons).toMatchObject([
      { code: 'quiet_hours', detail: 'it is 23:00 in America/New_York; quiet from 21:00 to 08:00' },
    ]);
    clock.advance(16 * 3_600_000);
    for (let time = 1; time < 6; time++) expect((await ask()).allowed).toBe(true);
    const together = await Promise.all([1, 2, 3, 4].map(() => ask()));
    expect(together.filter(({ allowed }) => allowed).length).toBeLessThan(2);
    await ask();
    expect(await codes()).toEqual(['too_many_attempts']);
    await send('POST', '/v1/trace/suppressions', { phone_number: '+1 (212) 555-0123', reason: 'by letter' });
    expect(await codes()).toEqual(['suppressed', 'too_many_attempts']);
    const gone = '/v1/trace/suppressions?phone_number=%2B12125550123';
    expect((await send('DELETE', gone)).status).toBe(200);
    expect((await send('DELETE', gone)).status).toBe(404);
  });

  it('keeps a configuration for each agent, and refuses packs and addresses that are none', async () => {
    const { send } = await open();
    const put = (body: object) => send('PUT', '/v1/trace/config', body);
    expect((await put({ agent_id: 'agt_1', enabled: true, rule_packs: [{ id: 'PII' }] })).status).toBe(200);
    expect((await send('GET', '/v1/trace/config?agent_id=agt_1')).json).toMatchObject({ enabled: true });
    expect((await send('GET', '/v1/trace/config')).json).toMatchObject({ agent_id: null, enabled: false });
    expect((await put({ rule_packs: [{ id: 'nothing' }] })).json.error.param).toBe('rule_packs');
    expect((await put({ webhook_url: 'http://169.254.169.254/' })).json.error.param).toBe('webhook_url');
  });
});
