// @requirement Agents: Tools are client tools, signed webhooks or tools of MCP servers.
import type { ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallTools } from '../../../src/conversation/agents/index.ts';
import { ToolDispatcher } from '../../../src/conversation/session/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { agentServices } from '../../edge/surfaces/agents/server.ts';
import { startMcp } from './mcp-programs.ts';

const scope = tenantScopeOf(new OneKeyAccess().principal());
const call = { scope, callId: 'ocl_x', agentId: 'agt_x', sessionLabel: null, externalId: null };

let everything: { url: string; child: ChildProcess };
let example: { url: string; child: ChildProcess };
beforeAll(async () => {
  [everything, example] = await Promise.all([startMcp('everything'), startMcp('example')]);
}, 60_000);
afterAll(() => {
  everything.child.kill();
  example.child.kill();
});

const storages: Storage[] = [];
const open: CallTools[] = [];
afterEach(async () => {
  for (const tools of open.splice(0)) await tools.close();
  for (const storage of storages.splice(0)) await storage.close();
});

async function dispatcher(url: string, allow: string[] | null, timeout_ms = 5_000) {
  const storage = await openStorage({ dataDir: ':memory:' });
  storages.push(storage);
  const { editing, toolProvider } = agentServices(storage);
  const tool = { name: 'server', kind: 'mcp', url, allow, timeout_ms } as const;
  const { id } = await editing.create(scope, tool, SYSTEM_ACTOR);
  const tools = await toolProvider.forCall({ tool_ids: [id] }, call);
  open.push(tools);
  const late: string[] = [];
  let ids = 0;
  const toolDispatcher = new ToolDispatcher({
    clock: systemClock,
    newCallId: () => `c${++ids}`,
    send: () => {
      throw new Error('nothing of an MCP server goes to the client');
    },
    onLate: (name, content) => late.push(`${name} ${content}`),
  });
  toolDispatcher.replace(tools.tools);
  return { dispatcher: toolDispatcher, tools, late };
}

describe('an MCP server', () => {
  it('offers what is allowed, and nothing else', async () => {
    const { tools, dispatcher: at } = await dispatcher(everything.url, ['echo', 'get-sum', 'no such tool']);
    expect(tools.faults).toEqual([]);
    expect(tools.tools.map(({ name }) => name).sort()).toEqual(['echo', 'get-sum']);
    expect(await at.call(1, 'get-env', '{}')).toMatchObject({ kind: 'error', reason: 'unknown_tool' });
    expect((await dispatcher(everything.url, null)).tools.tools).toEqual([]);
  });

  it('is called with checked arguments, and its answer is told', async () => {
    const { dispatcher: at } = await dispatcher(everything.url, ['echo', 'get-sum']);
    expect(await at.call(1, 'echo', '{"message":"tea"}')).toEqual({
      kind: 'result',
      content: expect.stringContaining('tea'),
    });
    expect(await at.call(1, 'get-sum', '{"a":2,"b":3}')).toMatchObject({
      content: expect.stringContaining('5'),
    });
    expect(await at.call(1, 'get-sum', '{"a":"two"}')).toMatchObject({ reason: 'invalid_arguments' });
  });

  it('may be another program: what holds is the protocol', async () => {
    const { tools, dispatcher: at } = await dispatcher(example.url, ['greet']);
    expect(tools.tools.map(({ name }) => name)).toEqual(['greet']);
    expect(await at.call(1, 'greet', '{"name":"Maya"}')).toMatchObject({
      content: expect.stringContaining('Maya'),
    });
  });

  it('that is slow is told late, and one that nobody waits for is told to stop', async () => {
    const { dispatcher: at, late } = await dispatcher(
      everything.url,
      ['trigger-long-running-operation'],
      300,
    );
    const slow = '{"duration":1,"steps":1}';
    expect(await at.call(1, 'trigger-long-running-operation', slow)).toMatchObject({ reason: 'timeout' });
    await expect.poll(() => late, { timeout: 5_000 }).toHaveLength(1);
    expect(late[0]).toMatch(/^trigger-long-running-operation .*completed/i);
    const { dispatcher: other } = await dispatcher(
      everything.url,
      ['trigger-long-running-operation'],
      20_000,
    );
    const signal = new AbortController();
    const given = other.call(2, 'trigger-long-running-operation', '{"duration":20,"steps":1}', {
      signal: signal.signal,
    });
    signal.abort();
    expect(await given).toMatchObject({ kind: 'error', reason: 'cancelled' });
  });

  it('that is not there takes only its own tools from a call', async () => {
    const { tools } = await dispatcher('http://127.0.0.1:9/mcp', ['echo']);
    expect(tools.tools).toEqual([]);
    expect(tools.faults).toHaveLength(1);
  });
});
