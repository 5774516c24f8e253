import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { CliContext } from '../../../src/apps/cli/command.ts';
import { check, schema, show } from '../../../src/apps/cli/flow-handlers.ts';
import { pull, push } from '../../../src/apps/cli/flow-sync-handlers.ts';
import { main } from '../../../src/apps/cli/index.ts';
import { REFUND } from '../../conversation/flows/refund.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { openAgents } from '../../edge/surfaces/agents/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'flow-'));
afterAll(() => rmSync(folder, { recursive: true }));

function cli() {
  const out: string[] = [];
  const errors: string[] = [];
  const context = {
    environment: {},
    out: (line: string) => out.push(line),
    error: (line: string) => errors.push(line),
  };
  return { context: context as unknown as CliContext, out, errors };
}

function file(name: string, document: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof document === 'string' ? document : stringify(document));
  return path;
}

describe('trunkline flow', () => {
  it('prints a schema that holds for a flow, and not for another document', () => {
    const { context, out } = cli();
    schema(context);
    const holds = new Ajv2020({ strict: false }).compile(JSON.parse(out[0]!) as object);
    expect([holds(REFUND), holds({ ...REFUND, nodes: [] }), holds({})]).toEqual([true, false, false]);
  });

  it('drops what it prints once its reader has closed the pipe', async () => {
    expect(await main(['flow', '--help'])).toBe(0);
    const failed = (code: string) => () =>
      process.stdout.emit('error', Object.assign(new Error(`write ${code}`), { code }));
    expect(failed('EPIPE')).not.toThrow();
    expect(failed('EIO')).toThrow('EIO');
  });

  it('pushes a flow to an agent, pulls it again, and says where nothing changed', async () => {
    const { url, send } = await openAgents();
    const made = await send('POST', '/v1/agents', { name: 'Maya' });
    const at = { agent: made.body.id, url, key: OneKeyAccess.KEY };
    const flow = {
      start: 'hello',
      nodes: [
        { id: 'hello', type: 'say', say: { en: 'Hello.', es: 'Hola.' } },
        { id: 'bye', type: 'end', say: 'Goodbye.' },
      ],
      edges: [{ from: 'hello', to: 'bye' }],
    };
    const source = file('pushed.yaml', flow);
    const { context, out, errors } = cli();
    expect(await push(context, source, { ...at, draft: true })).toBe(0);
    expect(await push(context, source, { ...at, draft: true })).toBe(0);
    expect(await push(context, source, at)).toBe(0);
    expect(await push(context, source, at)).toBe(0);
    const [drafted, again, published, once] = out;
    expect(drafted).toBe(`${source}: drafted version 2 of ${at.agent}`);
    expect(again).toBe(`${source}: nothing changed in version 2 of ${at.agent}`);
    expect(published).toMatch(/: published version [23] of /);
    expect(once).toBe(published?.replace('published', 'nothing changed in'));
    const target = join(folder, 'pulled.yaml');
    expect(await pull(context, { ...at, draft: true, out: target })).toBe(0);
    expect(parse(readFileSync(target, 'utf8'))).toEqual(flow);
    expect(await pull(context, { ...at, agentVersion: '1' })).toBe(1);
    const odd = file('odd-push.yaml', { ...flow, edges: [] });
    expect(await push(context, odd, at)).toBe(1);
    expect(errors).toEqual([
      `version 1 of ${at.agent} has no flow`,
      'hello: the node has no outgoing edge; only nodes of type end or transfer end a call (dead_end)',
      'bye: no edge leads to this node (unreachable)',
    ]);
    expect(await push(context, source, { ...at, key: 'none' })).toBe(2);
    expect(await push(context, source, { agent: at.agent })).toBe(2);
    const nobody = 'http://127.0.0.1:1';
    expect(await push(context, source, { ...at, url: nobody })).toBe(2);
    expect(errors.at(-1)).toMatch(/^error: http:\/\/127\.0\.0\.1:1 does not answer: /);
  });

  it('finds nothing wrong with a whole flow, also within an agent', () => {
    const { context, out } = cli();
    expect(check(context, file('whole.yaml', REFUND), {})).toBe(0);
    expect(check(context, file('agent.json', JSON.stringify({ name: 'Nora', flow: REFUND })), {})).toBe(0);
    expect(out[0]).toMatch(/11 nodes, 13 edges, no problems$/);
  });

  it('names the node of each problem, and ends with 1', () => {
    const { context, errors } = cli();
    const flow = { ...REFUND, edges: REFUND.edges.filter(({ from }) => from !== 'hours') };
    expect(check(context, file('odd.yaml', flow), { tools: 'find_order' })).toBe(1);
    expect(errors).toEqual([
      'refund: the agent has no tool refund (unknown_tool)',
      'hours: the node has no outgoing edge; only nodes of type end or transfer end a call (dead_end)',
    ]);
  });

  it('tells of a file that cannot be read, and ends with 2', () => {
    const { context, errors } = cli();
    expect(check(context, join(folder, 'none.yaml'), {})).toBe(2);
    expect(check(context, file('broken.yaml', 'a: [b'), {})).toBe(2);
    expect(errors).toHaveLength(2);
  });

  it('shows every node with its ways out, in the terminal and as SVG', () => {
    const { context, out } = cli();
    const whole = file('shown.yaml', REFUND);
    expect(show(context, whole, {})).toBe(0);
    expect(out[0]).toContain(
      [
        '▶ welcome  say',
        '  ├─ intent refund → verify',
        '  ├─ intent hours → hours',
        '  └─ attempts used up → person',
      ].join('\n'),
    );
    expect(out[0]).toContain('├─ found.total over 500 → approver');
    const svg = join(folder, 'flow.svg');
    expect(show(context, whole, { svg })).toBe(0);
    const picture = readFileSync(svg, 'utf8');
    for (const { id } of REFUND.nodes) expect(picture).toContain(`>${id}</text>`);
  });
});
