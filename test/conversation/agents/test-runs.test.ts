// @requirement Agents: Publishing can require a passing run of a test suite of that very version.
import { expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { withinTenant } from '../../../src/foundation/storage/index.ts';
import { openAgents } from '../../edge/surfaces/agents/server.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const SUITE = 'Order status';

onBothDatabases('an agent that demands a suite', (databases) => {
  async function open() {
    const storage = await databases.open();
    const opened = await openAgents(storage);
    const { send, access, profiles } = opened;
    const scope = tenantScopeOf(access.principal());
    const { body } = await send('POST', '/v1/agents', { name: 'Maya', persona: 'One.' });
    const at = `/v1/agents/${body.id}`;
    const served = async (version: number, status: 'completed' | 'live' = 'completed') => {
      const id = newId('ocl');
      const call = { id, agent_id: body.id, agent_version: version, status };
      const times = { seen_at: 1, started_at: 1, created_at: 1, duration_ms: 0 };
      const voice = { language: 'en', voice_id: 'en1', voice_tier: 'standard' as const };
      await withinTenant(storage.db, scope)
        .insertInto('omni_calls', { ...call, ...times, ...voice })
        .execute();
      return id;
    };
    const notify = (version: number, passed: boolean, call_ids: readonly string[], suite = SUITE) =>
      send('POST', `${at}/test-runs`, { version, suite, scenarios: [{ name: 'asks', passed, call_ids }] });
    const publish = (version: number) => send('POST', `${at}/publish`, { version });
    const draft = (persona: string) => send('PATCH', `${at}?draft=true`, { persona });
    return { ...opened, scope, id: body.id, at, served, notify, publish, draft, profiles };
  }
  const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
    status,
    (body.error as { code?: string } | undefined)?.code,
  ];
  const refused = [409, 'suite_not_passed'];

  it('publishes no version that was not played, did not pass, or passed something else', async () => {
    const { send, at, served, notify, publish, draft } = await open();
    expect((await send('PUT', `${at}/required-suite`, { suite: SUITE })).body).toMatchObject({
      required_suite: SUITE,
      published_version: 1,
    });
    expect((await draft('Two.')).body).toMatchObject({ version: 2, published_version: 1 });
    expect(codeOf(await publish(2))).toEqual(refused);
    expect(codeOf(await send('PUT', `${at}/traffic`, { '1': 50, '2': 50 }))).toEqual(refused);
    expect(codeOf(await send('PATCH', at, { persona: 'Three.' }))).toEqual(refused);
    expect(codeOf(await send('PUT', `${at}/tools`, { tool_ids: [] }))).toEqual(refused);
    await notify(2, true, [await served(2)], 'Another suite');
    await notify(1, true, [await served(1)]);
    await notify(2, false, [await served(2)]);
    const { status, body } = await publish(2);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('did not pass against version 2')]);
    expect((await send('GET', at)).body).toMatchObject({ latest_version: 2, published_version: 1 });
    expect((await notify(2, true, [await served(2)])).body).toMatchObject({ passed: true, scenarios: 1 });
    expect((await publish(2)).body).toMatchObject({ published_version: 2 });
    expect((await publish(1)).body).toMatchObject({ published_version: 1 });
    const runs = (await send('GET', `${at}/test-runs`)).body.data as { version: number; passed: boolean }[];
    expect(runs).toHaveLength(4);
    expect(runs.filter(({ version }) => version === 2).map(({ passed }) => passed)).toContain(false);
    await send('PUT', `${at}/required-suite`, { suite: null });
    expect((await send('PATCH', at, { persona: 'Three.' })).body).toMatchObject({ published_version: 3 });
  });

  it('believes no run whose calls the version did not serve', async () => {
    const { send, at, served, notify } = await open();
    const wrong = [400, 'invalid_request'];
    expect(codeOf(await notify(1, true, []))).toEqual(wrong);
    expect(codeOf(await notify(1, true, [newId('ocl')]))).toEqual(wrong);
    expect(codeOf(await notify(1, true, [await served(2)]))).toEqual(wrong);
    expect(codeOf(await notify(1, true, [await served(1, 'live')]))).toEqual(wrong);
    expect(codeOf(await notify(7, true, [await served(7)]))).toEqual(wrong);
    expect(
      codeOf(
        await send('POST', `/v1/agents/${newId('agt')}/test-runs`, {
          version: 1,
          suite: SUITE,
          scenarios: [{ name: 'asks', passed: false, call_ids: [] }],
        }),
      ),
    ).toEqual([404, 'not_found']);
    expect((await send('GET', `${at}/test-runs`)).body.data).toEqual([]);
    expect((await notify(1, false, [])).body).toMatchObject({ passed: false, failed: 1 });
  });

  it('is called by one of its versions, published or not, so that the version can be tested', async () => {
    const { id, draft, profiles, scope } = await open();
    await draft('Two.');
    const persona = async (label: string) =>
      (await profiles.profileFor(scope, label, newId('ocl')))?.fields.persona ?? null;
    expect([await persona(id), await persona(`${id}@1`), await persona(`${id}@2`)]).toEqual([
      'One.',
      'One.',
      'Two.',
    ]);
    expect(await profiles.profileFor(scope, `${id}@2`, newId('ocl'))).toMatchObject({
      agentId: id,
      version: 2,
    });
    for (const label of [`${id}@0`, `${id}@x`, `${id}@1@1`, `${newId('agt')}@1`])
      expect(await persona(label)).toBeNull();
    await expect(persona(`${id}@3`)).rejects.toThrow('There is no version 3.');
  });
});
