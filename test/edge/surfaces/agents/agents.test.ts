// @requirement Agents: `/v1/agents` serves every field, versions, traffic shares and rollback, and isolates tenants.
import { describe, expect, it } from 'vitest';
import { AGENT_FIELDS } from '../../../../src/conversation/agents/index.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { newId } from '../../../../src/foundation/platform/ids.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { openAgents, paramOf } from './server.ts';

const WHOLE = {
  name: 'Maya',
  language: 'es',
  languages: ['en', 'es'],
  persona: 'Eres Maya.',
  greeting: 'Hola.',
  consent_line: 'Esta llamada se graba.',
  recordings_enabled: true,
  voice_id: 'es1',
  voice_under_load: 'es2',
  voice_instruct: null,
  barge_sensitivity: 'low',
  primary_speaker: true,
  denoise: ['recording', 'transfer'],
  vocabulary: ['Trunkline'],
  lookups: [{ name: 'customers', values: ['Schmidt', { value: 'Schmitt', id: 'c-2' }] }],
  extraction_schema: { type: 'object', properties: { name: { type: 'string' } } },
  extraction_webhook_url: 'https://example.com/extracted',
  knowledge_base_ids: [newId('kb')],
  tool_ids: [] as string[],
  builtin_tools: ['end_call', 'capture'],
  time_zone: 'Europe/Madrid',
  brain: 'fast',
  voice_provider: 'eleven',
  recognizer: 'large',
  grounding: 'open',
  phrases: { thinking: 'Un momento.', still_there: null },
  idle: { ask_after_s: 8, times: 1, hang_up: false },
  max_duration_s: 600,
  call_back_when_lost: true,
  endpointing: 'patient',
  flow: { start: 'bye', nodes: [{ id: 'bye', type: 'end', say: 'Goodbye.' }], edges: [] },
  meta: { team: { name: 'one' } },
};

describe('a profile', () => {
  it('is not saved with words about how to speak, which no voice follows', async () => {
    const { send } = await openAgents();
    const reported = await send('POST', '/v1/agents', { name: 'Maya', voice_instruct: 'speak softly' });
    expect([reported.status, JSON.stringify(reported.body)]).toEqual([
      400,
      expect.stringContaining('unsupported_voice_instruct'),
    ]);
    const { body } = await send('POST', '/v1/agents', { name: 'Maya' });
    const patched = await send('PATCH', `/v1/agents/${body.id}`, { voice_instruct: 'speak softly' });
    expect(patched.status).toBe(400);
    expect((await send('PATCH', `/v1/agents/${body.id}`, { voice_instruct: null })).status).toBe(200);
  });

  it('may follow every language that calls are served in', async () => {
    const { send } = await openAgents();
    const { body } = await send('POST', '/v1/agents', { name: 'Maya', languages: 'auto' });
    expect(body.languages).toBe('auto');
    for (const languages of ['de', 'every', ['auto'], ['de']]) {
      const { status, body: refused } = await send('PATCH', `/v1/agents/${body.id}`, { languages });
      expect([status, refused]).toMatchObject([
        400,
        { error: { param: expect.stringMatching(/^languages/) } },
      ]);
    }
    const listed = await send('PATCH', `/v1/agents/${body.id}`, { languages: ['es'] });
    expect(listed.body.languages).toEqual(['es']);
  });

  it('is not saved with a flow that has a problem, and says of which node', async () => {
    const { send } = await openAgents();
    const flow = {
      start: 'hello',
      nodes: [
        { id: 'hello', type: 'say', say: 'Hello.' },
        { id: 'pay', type: 'tool', tool: 'refund' },
        { id: 'bye', type: 'end' },
      ],
      edges: [
        { from: 'hello', to: 'pay' },
        { from: 'pay', to: 'bye' },
        { from: 'pay', to: 'bye', when: { result: 'failed' } },
      ],
    };
    const refused = await send('POST', '/v1/agents', { name: 'Maya', flow });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: { param: 'flow', message: 'pay: the agent has no tool refund (unknown_tool).' },
    });
    const made = await send('POST', '/v1/agents', { name: 'Maya' });
    const checked = await send('POST', `/v1/agents/${made.body.id}/flow/check`, { flow });
    expect(checked.body).toEqual({
      ok: false,
      problems: [{ node: 'pay', code: 'unknown_tool', detail: 'the agent has no tool refund' }],
    });
    const tool = await send('POST', '/v1/tools', { name: 'refund', kind: 'client' });
    const saved = await send('POST', '/v1/agents', { name: 'Maya', tool_ids: [tool.body.id], flow });
    expect([saved.status, saved.body.flow]).toEqual([201, flow]);
    const without = await send('PATCH', `/v1/agents/${saved.body.id}`, { tool_ids: [] });
    expect(without.body).toMatchObject({
      error: { param: 'flow', message: expect.stringMatching(/^pay: /) },
    });
    const patched = await send('PATCH', `/v1/agents/${saved.body.id}`, { flow: null });
    expect(patched.body).toMatchObject({ flow: null, version: 2 });
  });

  it('plays events through a flow, and names the event or the node that is wrong', async () => {
    const { send } = await openAgents();
    const flow = {
      start: 'hello',
      nodes: [
        { id: 'hello', type: 'ask', slots: [{ name: 'size', kind: 'choice', options: ['small', 'large'] }] },
        { id: 'bye', type: 'end', say: 'A {size} one it is.', position: { x: 40, y: -200 } },
      ],
      edges: [
        { from: 'hello', to: 'bye' },
        { from: 'hello', to: 'bye', when: { attempts: true } },
      ],
    };
    const made = await send('POST', '/v1/agents', { name: 'Maya', flow });
    const play = (body: object) => send('POST', `/v1/agents/${made.body.id}/flow/simulate`, body);
    const begun = await play({});
    expect(begun.body).toMatchObject({ awaits: 'caller', turns: [{ event: null, node: 'hello' }] });
    const events = [{ kind: 'said', text: 'the large one' }];
    expect((await play({ events })).body).toMatchObject({
      awaits: null,
      values: { size: 'large' },
      turns: [{}, { event: events[0], said: ['A large one it is.'], node: 'bye' }],
      path: [
        { node: 'hello', turn: 0, left_by: 'otherwise', reason: 'the node is done' },
        { node: 'bye', turn: 1, left_by: 'ended' },
      ],
    });
    const late = await play({ events: [...events, ...events] });
    expect([late.status, paramOf(late.body)]).toEqual([400, 'events.1']);
    const broken = await play({ flow: { ...flow, edges: [] } });
    expect([broken.status, paramOf(broken.body)]).toEqual([400, 'flow']);
    expect(broken.body).toMatchObject({
      error: { message: expect.stringMatching(/^hello: .*\(dead_end\)/) },
    });
    const bare = await send('POST', '/v1/agents', { name: 'Joe' });
    const none = await send('POST', `/v1/agents/${bare.body.id}/flow/simulate`, {});
    expect([none.status, paramOf(none.body)]).toEqual([400, 'flow']);
  });

  it('checks and plays a flow that is too large for the event loop on a thread', async () => {
    const { send } = await openAgents();
    const words = Array.from({ length: 8 }, (_, at) => `line${at}`);
    const flow = {
      start: 'line0',
      nodes: [
        ...words.map((id) => ({ id, type: 'say', say: `This is ${id}.`, instruction: 'x'.repeat(4000) })),
        { id: 'bye', type: 'end', say: 'Goodbye.' },
      ],
      edges: words.map((from, at) => ({ from, to: words[at + 1] ?? 'bye' })),
    };
    const made = await send('POST', '/v1/agents', { name: 'Maya', flow });
    expect(made.status).toBe(201);
    const at = `/v1/agents/${made.body.id}/flow`;
    const played = await send('POST', `${at}/simulate`, {});
    expect(played.body).toMatchObject({ awaits: null, turns: [{ node: 'bye' }] });
    const late = await send('POST', `${at}/simulate`, { events: [{ kind: 'silence' }] });
    expect([late.status, paramOf(late.body)]).toEqual([400, 'events.0']);
    const broken = { ...flow, edges: flow.edges.slice(1) };
    const { body } = await send('POST', `${at}/check`, { flow: broken });
    expect(body).toMatchObject({ ok: false, problems: expect.arrayContaining([expect.anything()]) });
  });

  it('keeps every field that it has, and shows them', async () => {
    const { send } = await openAgents();
    expect(Object.keys(WHOLE).sort()).toEqual(Object.keys(AGENT_FIELDS).sort());
    const tool = await send('POST', '/v1/tools', { name: 'look_up', kind: 'client' });
    const sent = { ...WHOLE, tool_ids: [tool.body.id] };
    const made = await send('POST', '/v1/agents', sent);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ ...sent, object: 'agent', version: 1, published_version: 1 });
    expect(made.body.id).toMatch(/^agt_[0-9A-Za-z]{20}$/);
    expect((await send('GET', `/v1/agents/${made.body.id}`)).body).toEqual(made.body);
    expect((await send('GET', '/v1/agents')).body).toEqual({
      object: 'list',
      data: [made.body],
      next_cursor: null,
    });
  });

  it('speaks English where no language is said, and takes voice for voice_id', async () => {
    const { send } = await openAgents();
    const { body } = await send('POST', '/v1/agents', { name: 'Joe', language: null, voice: 'joe_en_us' });
    expect(body).toMatchObject({ language: 'en', voice_id: 'joe_en_us', barge_sensitivity: 'normal' });
    const same = await send('PATCH', `/v1/agents/${body.id}`, { voice: 'en1', voice_id: 'en1' });
    expect(same.body.voice_id).toBe('en1');
    const two = await send('PATCH', `/v1/agents/${body.id}`, { voice: 'en1', voice_id: 'joe_en_us' });
    expect([two.status, paramOf(two.body)]).toEqual([400, 'voice']);
  });

  it('is merged by PATCH, and replaced by PUT', async () => {
    const { send } = await openAgents();
    const { body } = await send('POST', '/v1/agents', { ...WHOLE, language: 'es' });
    const patch = { idle: { times: 0 }, meta: { team: null, shop: 2 }, phrases: { thinking: null } };
    const merged = (await send('PATCH', `/v1/agents/${body.id}`, patch)).body;
    expect(merged).toMatchObject({ version: 2, persona: 'Eres Maya.', meta: { shop: 2 } });
    expect(merged.idle).toEqual({ ask_after_s: 8, times: 0, hang_up: false });
    expect(merged.phrases).toEqual({ thinking: null, still_there: null });
    expect(merged.meta).toEqual({ shop: 2 });
    const put = (await send('PUT', `/v1/agents/${body.id}`, { name: 'New' })).body;
    expect(put).toMatchObject({ version: 3, persona: '', language: 'en', voice_id: null, idle: null });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ language: 'pt' }, 'language'],
    [{ voice_id: 'nobody' }, 'voice_id'],
    [{ language: 'fr', voice_id: 'joe_en_us' }, 'voice_id'],
    [{ language: 'de', voice_id: 'de1' }, 'voice_id'],
    [{ voice_under_load: 'nobody' }, 'voice_under_load'],
    [{ voice_under_load: '' }, 'voice_under_load'],
    [{ voice_under_load: '__proto__' }, 'voice_under_load'],
    [{ voice_under_load: 'hi5' }, 'voice_under_load'],
    [{ voice_under_load: ['joe_en_us'] }, 'voice_under_load'],
    [{ voice_under_load: 'x'.repeat(129) }, 'voice_under_load'],
    [{ voice_under_load: 'heart_en_us' }, 'voice_under_load'],
    [{ language: 'fr', voice_under_load: 'joe_en_us' }, 'voice_under_load'],
    [{ language: 'de', voice_under_load: 'de1' }, 'voice_under_load'],
    [{ barge_sensitivity: 'loud' }, 'barge_sensitivity'],
    [{ barge_sensitivity: -120 }, 'barge_sensitivity'],
    [{ brain: 'unheard-of' }, 'brain'],
    [{ voice_provider: 'unheard-of' }, 'voice_provider'],
    [{ recognizer: 'unheard-of' }, 'recognizer'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ extraction_schema: { type: 'array' } }, 'extraction_schema'],
    [{ extraction_schema: { type: 'object', properties: { a: { type: 'word' } } } }, 'extraction_schema'],
    [{ extraction_webhook_url: 'http://169.254.169.254/' }, 'extraction_webhook_url'],
    [{ tool_ids: [newId('tool')] }, 'tool_ids'],
    [{ denoise: ['everything'] }, 'denoise.0'],
    [{ denoise: ['transfer', 'transfer'] }, 'denoise'],
    [{ builtin_tools: ['rm'] }, 'builtin_tools.0'],
    [{ builtin_tools: ['end_call', 'end_call'] }, 'builtin_tools'],
    [{ persona: 'x'.repeat(16_001) }, 'persona'],
    [{ phrases: { hello: 'x' } }, 'phrases.hello'],
    [{ idle: { ask_after_s: 1 } }, 'idle'],
    [{ max_duration_s: 1 }, 'max_duration_s'],
    [{ endpointing: 'never' }, 'endpointing'],
    [{ something: 1 }, 'something'],
  ])('refuses a field that is wrong (%#)', async (field, param) => {
    const { send } = await openAgents();
    const answer = await send('POST', '/v1/agents', { name: 'Joe', ...field });
    expect(answer.status, JSON.stringify(answer.body)).toBe(answer.status === 404 ? 404 : 400);
    expect(String(paramOf(answer.body))).toContain(param);
  });

  it('takes an English voice under load of a German agent, whose calls run in English', async () => {
    const { send } = await openAgents();
    const german = { name: 'Jo', language: 'de', voice_under_load: 'joe_en_us' };
    const { status, body } = await send('POST', '/v1/agents', german);
    expect([status, body.voice_under_load]).toEqual([201, 'joe_en_us']);
  });

  it('shows a field that is younger than its version as nobody set it', async () => {
    const { send, storage } = await openAgents();
    const { body } = await send('POST', '/v1/agents', { name: 'Joe', voice_under_load: 'joe_en_us' });
    expect(body.voice_under_load).toBe('joe_en_us');
    const rows = acrossTenants(storage.db);
    const { fields } = await rows.selectFrom('agent_versions').select('fields').executeTakeFirstOrThrow();
    const { voice_under_load: _younger, ...older } = JSON.parse(fields) as Record<string, unknown>;
    await rows
      .updateTable('agent_versions')
      .set({ fields: JSON.stringify(older) })
      .execute();
    const shown = await send('GET', `/v1/agents/${body.id}`);
    expect(shown).toEqual({ status: 200, body: { ...body, voice_under_load: null } });
  });

  it('is another organization’s business as little as an unknown one', async () => {
    const { send, agents } = await openAgents();
    const others = { org: 'org_other', project: 'proj_other', environment: 'live' } as unknown as Parameters<
      typeof agents.create
    >[0];
    const theirs = await agents.create(others, { name: 'Theirs' }, false);
    for (const id of [theirs.id, newId('agt'), 'nonsense']) {
      for (const [method, path, body] of [
        ['GET', `/v1/agents/${id}`],
        ['PUT', `/v1/agents/${id}`, { name: 'x' }],
        ['PATCH', `/v1/agents/${id}`, { name: 'x' }],
        ['DELETE', `/v1/agents/${id}`],
        ['GET', `/v1/agents/${id}/versions`],
        ['GET', `/v1/agents/${id}/prompt`],
        ['POST', `/v1/agents/${id}/publish`, { version: 1 }],
        ['PUT', `/v1/agents/${id}/traffic`, { '1': 100 }],
      ] as const)
        expect((await send(method, path, body)).status, `${method} ${path}`).toBe(404);
    }
    expect((await send('GET', '/v1/agents')).body.data).toEqual([]);
  });

  it('is made once for one Idempotency-Key', async () => {
    const { send } = await openAgents();
    const key = { 'idempotency-key': 'once' };
    const first = await send('POST', '/v1/agents', { name: 'Joe' }, key);
    expect((await send('POST', '/v1/agents', { name: 'Joe' }, key)).body).toEqual(first.body);
    expect((await send('POST', '/v1/agents', { name: 'Jim' }, key)).status).toBe(409);
    expect(((await send('GET', '/v1/agents')).body.data as unknown[]).length).toBe(1);
  });

  it('needs the scope of sessions, and is deleted whole', async () => {
    const { send, url } = await openAgents();
    const { body } = await send('POST', '/v1/agents', { name: 'Joe' });
    expect((await fetch(`${url}/v1/agents`)).status).toBe(401);
    expect((await send('DELETE', `/v1/agents/${body.id}`)).body).toEqual({
      id: body.id,
      object: 'agent',
      deleted: true,
    });
    expect((await fetch(`${url}/v1/agents/${body.id}`, { headers: bearer })).status).toBe(404);
  });
});

describe('versions', () => {
  it('are made by each save; drafts wait, and any of them can be published', async () => {
    const { send } = await openAgents();
    const id = (await send('POST', '/v1/agents', { name: 'A', persona: 'one' })).body.id;
    const draft = await send('PATCH', `/v1/agents/${id}?draft=true`, { persona: 'two' });
    expect(draft.body).toMatchObject({ version: 2, published_version: 1, persona: 'two' });
    expect((await send('GET', `/v1/agents/${id}`)).body).toMatchObject({ version: 1, persona: 'one' });
    expect((await send('GET', `/v1/agents/${id}?draft=true`)).body).toMatchObject({ persona: 'two' });
    const more = await send('PATCH', `/v1/agents/${id}?draft=true`, { greeting: 'Hi.' });
    expect(more.body, 'a draft is of the newest').toMatchObject({ version: 3, persona: 'two' });
    expect((await send('POST', `/v1/agents/${id}/publish`, { version: 3 })).body).toMatchObject({
      version: 3,
      published_version: 3,
      greeting: 'Hi.',
    });
    expect((await send('POST', `/v1/agents/${id}/publish`, { version: 1 })).body).toMatchObject({
      persona: 'one',
      latest_version: 3,
    });
    const versions = (await send('GET', `/v1/agents/${id}/versions`)).body.data as Record<string, unknown>[];
    expect(versions.map(({ version, published, percent }) => [version, published, percent])).toEqual([
      [3, false, 0],
      [2, false, 0],
      [1, true, 100],
    ]);
    expect((await send('POST', `/v1/agents/${id}/publish`, { version: 4 })).status).toBe(400);
  });

  it('are shared out among calls, each call always the same', async () => {
    const { send, profiles, access } = await openAgents();
    const id = (await send('POST', '/v1/agents', { name: 'A', persona: 'one' })).body.id;
    await send('PATCH', `/v1/agents/${id}?draft=true`, { persona: 'two' });
    for (const [traffic, why] of [
      [{ '1': 90 }, 'not all calls'],
      [{ '1': 50, '3': 50 }, 'no such version'],
      [{}, 'nothing'],
      [{ one: 100 }, 'no number'],
    ] as const)
      expect((await send('PUT', `/v1/agents/${id}/traffic`, traffic)).status, why).toBe(400);
    const shared = await send('PUT', `/v1/agents/${id}/traffic`, { '1': 90, '2': 10 });
    expect(shared.body).toMatchObject({ published_version: 1, traffic: { '1': 90, '2': 10 } });
    const scope = tenantScopeOf(access.principal());
    const calls = Array.from({ length: 400 }, () => newId('ocl'));
    const served = await Promise.all(calls.map((call) => profiles.profileFor(scope, id, call)));
    const twos = served.filter((profile) => profile?.version === 2).length;
    // The expected count is 40 of 400; the bounds are six standard deviations away.
    expect(twos).toBeGreaterThan(4);
    expect(twos).toBeLessThan(76);
    expect(await profiles.profileFor(scope, id, calls[0]!)).toEqual(served[0]);
    const saved = await send('PATCH', `/v1/agents/${id}`, { persona: 'three' });
    expect(saved.body, 'a published save takes all calls').toMatchObject({
      published_version: 3,
      traffic: null,
    });
  });

  it('that are only drafts serve no call', async () => {
    const { send, profiles, access } = await openAgents();
    const { body } = await send('POST', '/v1/agents?draft=true', { name: 'A' });
    expect(body).toMatchObject({ version: 1, published_version: null });
    const scope = tenantScopeOf(access.principal());
    await expect(profiles.profileFor(scope, body.id, newId('ocl'))).rejects.toThrow('No version');
    expect(await profiles.profileFor(scope, 'only a label', newId('ocl'))).toBeNull();
    expect(await profiles.profileFor(scope, newId('agt'), newId('ocl'))).toBeNull();
  });

  it('are all kept when many save at once', async () => {
    const { send } = await openAgents();
    const id = (await send('POST', '/v1/agents', { name: 'A' })).body.id;
    const saves = await Promise.all(
      [1, 2, 3].map((number) => send('PATCH', `/v1/agents/${id}`, { greeting: `${number}` })),
    );
    expect(saves.map(({ body }) => body.version).sort()).toEqual([2, 3, 4]);
  });
});

describe('the prompt', () => {
  // @requirement Brains: The owner of an agent reads the whole prompt, and chooses strict or open grounding.
  it('shows what a model is told, in the agent’s own language, zone and grounding', async () => {
    const { send } = await openAgents();
    const tool = await send('POST', '/v1/tools', {
      name: 'look_up',
      kind: 'client',
      description: 'Looks an order up.',
    });
    const agent = await send('POST', '/v1/agents', {
      name: 'A',
      persona: 'You are Maya.',
      language: 'fr',
      time_zone: 'Asia/Tokyo',
      tool_ids: [tool.body.id],
    });
    const { body } = await send('GET', `/v1/agents/${agent.body.id}/prompt`);
    expect(body.system).toMatch(/^You are Maya\.\n/);
    expect(body.system).toContain('(Asia/Tokyo)');
    expect(body.system).toContain('Speak French.');
    expect(body.system).not.toContain('Say only what the persona');
    expect(body.tools).toMatchObject([{ name: 'look_up', description: 'Looks an order up.' }]);
    await send('PUT', `/v1/agents/${agent.body.id}/knowledgebases`, { knowledge_base_ids: [newId('kb')] });
    expect((await send('GET', `/v1/agents/${agent.body.id}/prompt`)).body.system).toContain(
      'Say only what the persona',
    );
  });
});
