// @requirement Agents: Publishing can require a passing run of a test suite of that very version.
import { expect, it } from 'vitest';
import type { CliContext } from '../../../src/apps/cli/command.ts';
import {
  checkVersionOptions,
  labelOf,
  publishTested,
  versionUnderTest,
} from '../../../src/apps/cli/test-publish.ts';
import { type ScenarioResult, ServerApi } from '../../../src/apps/testkit/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { withinTenant } from '../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { openAgents } from '../../edge/surfaces/agents/server.ts';

const SUITE = 'Order status';

async function open() {
  const opened = await openAgents();
  const { url, send, access, storage } = opened;
  const { body } = await send('POST', '/v1/agents', { name: 'Maya' });
  const at = `/v1/agents/${body.id}`;
  await send('PUT', `${at}/required-suite`, { suite: SUITE });
  await send('PATCH', `${at}?draft=true`, { persona: 'Brief.' });
  const lines: string[] = [];
  const context = { out: (line: string) => lines.push(line) } as unknown as CliContext;
  const played = async (version: number, passed: boolean): Promise<ScenarioResult> => {
    const id = newId('ocl');
    const call = { id, agent_id: body.id, agent_version: version, status: 'completed' as const };
    const times = { seen_at: 1, started_at: 1, created_at: 1, duration_ms: 0 };
    const voice = { language: 'en', voice_id: 'en1', voice_tier: 'standard' as const };
    await withinTenant(storage.db, tenantScopeOf(access.principal()))
      .insertInto('omni_calls', { ...call, ...times, ...voice })
      .execute();
    const trial = { call: { record: { call_id: id } }, verdicts: [], error: null, passed };
    const result = { suite: SUITE, name: 'asks', trials: [trial], passed, passK: [], seconds: 1 };
    return result as unknown as ScenarioResult;
  };
  const published = async () => (await send('GET', at)).body.published_version;
  const api = new ServerApi(url, OneKeyAccess.KEY);
  return { ...opened, api, context, lines, played, published, agent: body.id, at };
}

it('publishes the newest version once all of it passed, and tells of what did not', async () => {
  const { api, context, lines, played, published, agent, send, at } = await open();
  const version = await versionUnderTest(api, { agent, publish: true });
  if (version === null) throw new Error('no version is tested');
  expect([version.version, labelOf(version)]).toEqual([2, `${agent}@2`]);
  const failed = { results: [await played(2, false)], well: false };
  await publishTested(context, api, version, failed);
  expect(await published()).toBe(1);
  await publishTested(context, api, version, { results: [await played(2, true)], well: true });
  expect(await published()).toBe(2);
  expect(lines).toEqual([`version 2 of ${agent} is not published`, `version 2 of ${agent} is published`]);
  const runs = (await send('GET', `${at}/test-runs`)).body.data as { passed: boolean }[];
  expect(runs.map(({ passed }) => passed).sort()).toEqual([false, true]);
});

it('shows the code of a server that refuses, for calls of another version or another suite', async () => {
  const { api, context, played, published, agent } = await open();
  const version = { agentId: agent, version: 2 };
  const other = { results: [await played(1, true)], well: true };
  await expect(publishTested(context, api, version, other)).rejects.toThrow('invalid_request');
  const renamed = { results: [{ ...(await played(2, true)), suite: 'Hours' }], well: true };
  await expect(publishTested(context, api, version, renamed)).rejects.toThrow('suite_not_passed');
  expect(await published()).toBe(1);
});

it('says which options do not go together', async () => {
  const said = (options: Parameters<typeof checkVersionOptions>[0], remote: boolean) => () =>
    checkVersionOptions(options, remote);
  expect(said({ publish: true }, true)).toThrow('--publish needs --agent');
  expect(said({ agentVersion: '3' }, true)).toThrow('--agent-version needs --agent');
  expect(said({ agent: 'agt_1', publish: true }, false)).toThrow('give --url or set TRUNKLINE_URL');
  expect(said({ agent: 'agt_1', publish: true, only: 'asks' }, true)).toThrow('remove --only');
  expect(said({ agent: 'agt_1', publish: true }, true)).not.toThrow();
  expect(said({}, false)).not.toThrow();
});
