import { afterEach, expect, it } from 'vitest';
import type { CallTools } from '../../../src/conversation/agents/index.ts';
import { ToolDispatcher } from '../../../src/conversation/session/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { agentServices } from '../../edge/surfaces/agents/server.ts';
import { watchTurns } from '../../event-loop-blocking.ts';
import { ScriptedMcp, said } from './scripted-mcp.ts';

const scope = tenantScopeOf(new OneKeyAccess().principal());
const call = { scope, callId: 'ocl_x', agentId: 'agt_x', sessionLabel: null, externalId: null };
const inputSchema = { type: 'object', properties: {} };

const storages: Storage[] = [];
const open: CallTools[] = [];
afterEach(async () => {
  for (const tools of open.splice(0)) await tools.close();
  for (const storage of storages.splice(0)) await storage.close();
});

async function toolsOf(servers: readonly { url: string }[], allow: string[] = ['echo']) {
  const storage = await openStorage({ dataDir: ':memory:' });
  storages.push(storage);
  const { editing, toolProvider } = agentServices(storage);
  const ids: string[] = [];
  for (const [at, { url }] of servers.entries())
    ids.push(
      (await editing.create(scope, { name: `server${at}`, kind: 'mcp', url, allow }, SYSTEM_ACTOR)).id,
    );
  const tools = await toolProvider.forCall({ tool_ids: ids }, call);
  open.push(tools);
  return tools;
}

function dispatcherOf(tools: CallTools) {
  const dispatcher = new ToolDispatcher({
    clock: systemClock,
    newCallId: (key) => key,
    send: () => undefined,
  });
  return { dispatcher, faults: dispatcher.replace([], tools.tools) };
}

it('an output schema is never compiled: its patterns hold nobody up', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`p${at}`, { type: 'string', pattern: '^(a+)+$' }]),
  );
  const outputSchema = { type: 'object', properties };
  const server = await ScriptedMcp.start(({ method }) =>
    method === 'tools/list'
      ? { tools: [{ name: 'echo', inputSchema, outputSchema }] }
      : { content: [], structuredContent: { p0: `${'a'.repeat(40)}!` } },
  );
  const began = performance.now();
  const { dispatcher } = dispatcherOf(await toolsOf([server]));
  const outcome = await dispatcher.call(1, 'echo', '{}');
  expect(outcome).toMatchObject({ kind: 'result', content: expect.stringContaining('aaaa!') });
  expect(performance.now() - began).toBeLessThan(3_000);
}, 30_000);

const MANY = 330_000;
const empty = () => Array.from({ length: MANY }, () => ({}));

it.each([
  ['tools/list', 'tools that are none', () => ({ tools: empty() })],
  [
    'tools/list',
    'icons that are none',
    () => ({ tools: [{ name: 'echo', inputSchema, icons: empty().slice(10) }] }),
  ],
  [
    'initialize',
    'capabilities that are none',
    () => ({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'a', version: '1', icons: empty().slice(MANY / 2) },
      capabilities: { experimental: Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [at, 1])) },
    }),
  ],
  ['tools/call', 'content that is none', () => ({ content: empty() })],
])('a hostile answer to %s with %s takes no time, and no log', async (method, _name, result) => {
  const hostile = JSON.stringify(result());
  expect(hostile.length).toBeLessThan(999_900);
  const server = await ScriptedMcp.start(
    ({ method: asked, id }, response) => {
      if (asked === method) return said(response, id as number, hostile);
      return asked === 'tools/list' ? { tools: [{ name: 'echo', inputSchema }] } : { content: [] };
    },
    method === 'initialize' ? hostile : undefined,
  );
  const turns = watchTurns();
  const tools = await toolsOf([server]);
  const { dispatcher } = dispatcherOf(tools);
  if (method === 'tools/call') await dispatcher.call(1, 'echo', '{}');
  expect(server.asked.some((asked) => asked.method === method)).toBe(true);
  expect(turns.longestMs()).toBeLessThan(3_000);
  expect(tools.faults.join('').length).toBeLessThan(1_000);
});

it('an error of a server is cut before it is told', async () => {
  const server = await ScriptedMcp.start(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const error = { code: -32_000, message: 'x'.repeat(900_000), data: {} };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    return undefined;
  });
  const { faults } = await toolsOf([server]);
  expect(faults).toEqual([expect.stringContaining('xxx')]);
  expect(faults[0]!.length).toBeLessThan(400);
});

it('pings and notices in a stream are answered a few times, not each', async () => {
  const server = await ScriptedMcp.start(({ method, id }, response) => {
    if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const ping = (at: number) =>
      `data: ${JSON.stringify({ jsonrpc: '2.0', id: `p${at}`, method: 'ping' })}\n\n`;
    for (let at = 0; at < 3_000; at++) response.write(ping(at));
    const result = { content: [{ type: 'text', text: 'tea' }] };
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\r\n\r\n`);
    return undefined;
  });
  const { dispatcher } = dispatcherOf(await toolsOf([server]));
  expect(await dispatcher.call(1, 'echo', '{}')).toMatchObject({ content: expect.stringContaining('tea') });
  const pongs = server.asked.filter(({ method, id }) => method === undefined && id !== undefined);
  expect(pongs.length).toBeLessThanOrEqual(8);
});

it.each([
  ['an event without an end', 'text/event-stream', 'data: '],
  ['JSON without an end', 'application/json', '['],
  ['comments without an end', 'text/event-stream', ': x\n'],
])('%s is given up at a megabyte', async (_name, type, beginning) => {
  const server = await ScriptedMcp.start(({ method }, response) => {
    if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema }] };
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed && response.write(beginning.repeat(300)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
    return undefined;
  });
  const { dispatcher } = dispatcherOf(await toolsOf([server]));
  expect(await dispatcher.call(1, 'echo', '{}')).toMatchObject({ kind: 'error', reason: 'failed' });
});

it('a list is bounded: its pages, its tools, and the words of each', async () => {
  const endless = await ScriptedMcp.start(({ params }) => ({
    tools: [{ name: `t${params?.cursor ?? 0}`, inputSchema }],
    nextCursor: String(Number(params?.cursor ?? 0) + 1),
  }));
  await toolsOf([endless]);
  expect(endless.asked.filter(({ method }) => method === 'tools/list')).toHaveLength(10);
  const many = await ScriptedMcp.start(() => ({
    tools: Array.from({ length: 1_001 }, (_, at) => ({ name: `t${at}`, inputSchema })),
  }));
  expect((await toolsOf([many])).faults).toEqual([expect.stringContaining('more than 1000 tools')]);
  const wordy = await ScriptedMcp.start(() => ({
    tools: [{ name: 'echo', description: 'x'.repeat(100_000), inputSchema }],
  }));
  expect((await toolsOf([wordy])).tools[0]?.description).toHaveLength(4_096);
});

it('a tool that can not be used takes no other with it', async () => {
  const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, {}]));
  const bad = await ScriptedMcp.start(() => ({
    tools: [
      { name: 'huge', inputSchema: { type: 'object', properties } },
      { name: 'echo', inputSchema },
    ],
  }));
  const other = await ScriptedMcp.start(() => ({
    tools: [
      { name: 'echo', inputSchema },
      { name: 'add', inputSchema },
    ],
  }));
  const { dispatcher, faults } = dispatcherOf(await toolsOf([bad, other], ['huge', 'echo', 'add']));
  expect([...dispatcher.tools.keys()]).toEqual(['echo', 'add']);
  expect(faults).toEqual([
    expect.stringContaining('at most 1000 parts'),
    expect.stringContaining('two tools have the name echo'),
  ]);
});
