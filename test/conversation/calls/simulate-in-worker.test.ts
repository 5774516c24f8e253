// @requirement Agents: A flow of few characters whose simulation takes long is played on a thread.
import { expect, it } from 'vitest';
import { type SimulatedEvent, simulateInWorker } from '../../../src/conversation/calls/index.ts';
import type { Flow } from '../../../src/conversation/flows/index.ts';

const EVENTS: SimulatedEvent[] = Array(30).fill({ kind: 'said', text: 'Hm.' });

/** Each use of the subflow has 40 nodes of its own. */
function flowOf(uses: number): Flow {
  const ids = Array.from({ length: 40 }, (_, at) => `line_${at}`);
  const used = Array.from({ length: uses }, (_, at) => `part_${at}`);
  return {
    start: 'hello',
    nodes: [
      { id: 'hello', type: 'say', say: 'Hello.', attempts: 100 },
      ...used.map((id) => ({ id, type: 'subflow' as const, flow: 'lines' })),
      { id: 'bye', type: 'end' },
    ],
    edges: [
      { from: 'hello', to: used[0] as string, when: { intent: 'lines', phrases: ['read the lines'] } },
      ...used.map((from, at) => ({ from, to: used[at + 1] ?? 'bye' })),
    ],
    subflows: {
      lines: {
        start: ids[0] as string,
        nodes: [
          ...ids.map((id) => ({ id, type: 'say' as const, say: 'A line.' })),
          { id: 'over', type: 'end' },
        ],
        edges: ids.map((from, at) => ({ from, to: ids[at + 1] ?? 'over' })),
      },
    },
  };
}

/** Whether the event loop turned before the simulation was there. */
async function turnsDuring(flow: Flow): Promise<boolean> {
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  const { turns } = await simulateInWorker({ flow, language: 'en', now: 0 }, EVENTS, 'tenant');
  const turnedBefore = turned;
  expect(turns).toHaveLength(EVENTS.length + 1);
  return turnedBefore;
}

it('plays a flow on a thread by what its subflows stand for, not by its characters alone', async () => {
  expect(JSON.stringify(flowOf(10)).length).toBeLessThan(10_000);
  expect(await turnsDuring(flowOf(10))).toBe(true);
  expect(await turnsDuring(flowOf(1))).toBe(false);
});
