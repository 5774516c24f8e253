import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { CliContext } from '../../../src/apps/cli/command.ts';
import { check, show } from '../../../src/apps/cli/flow-handlers.ts';
import { REFUND } from '../../conversation/flows/refund.ts';

const folder = mkdtempSync(join(tmpdir(), 'flow-'));
afterAll(() => rmSync(folder, { recursive: true }));

function cli() {
  const out: string[] = [];
  const errors: string[] = [];
  const context = { out: (line: string) => out.push(line), error: (line: string) => errors.push(line) };
  return { context: context as unknown as CliContext, out, errors };
}

function file(name: string, document: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof document === 'string' ? document : stringify(document));
  return path;
}

describe('trunkline flow', () => {
  it('finds nothing wrong with a whole flow, also within an agent', () => {
    const { context, out } = cli();
    expect(check(context, file('whole.yaml', REFUND), {})).toBe(0);
    expect(check(context, file('agent.json', JSON.stringify({ name: 'Nora', flow: REFUND })), {})).toBe(0);
    expect(out[0]).toMatch(/11 nodes, 13 edges, nothing wrong$/);
  });

  it('names the node of each problem, and ends with 1', () => {
    const { context, errors } = cli();
    const flow = { ...REFUND, edges: REFUND.edges.filter(({ from }) => from !== 'hours') };
    expect(check(context, file('odd.yaml', flow), { tools: 'find_order' })).toBe(1);
    expect(errors).toEqual([
      'refund: the agent has no tool refund (unknown_tool)',
      'hours: no edge leaves it; a call ends in end or transfer (dead_end)',
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
