import { expect, it } from 'vitest';
import {
  type SimulatedEvent,
  SimulationError,
  simulateFlow,
} from '../../../src/conversation/calls/flow-simulation.ts';
import type { Flow } from '../../../src/conversation/flows/index.ts';
import { REFUND } from '../flows/refund.ts';

const NOW = 1_700_000_000_000;
const play = (...events: SimulatedEvent[]) =>
  simulateFlow({ flow: REFUND, language: 'en', now: NOW }, events);
const said = (text: string): SimulatedEvent => ({ kind: 'said', text });
const ok = (value: unknown): SimulatedEvent => ({ kind: 'result', ok: true, value });

const TO_TERMS = [said('I want my money back'), said('4711'), said('yes'), said('28013'), said('yes')];

it('begins with the model in the first node, and offers its exits', async () => {
  const begun = await play();
  expect(begun).toMatchObject({ awaits: 'model', values: {}, passed: [], refused: [] });
  expect(begun.turns).toEqual([{ event: null, said: [], node: 'welcome' }]);
  expect(begun.exits.map(({ name }) => name)).toContain('refund');
});

it('asks, reads back and captures as a call does, and says required words to their end', async () => {
  const { turns, values, path, awaits, request } = await play(...TO_TERMS);
  expect(turns[1]).toMatchObject({ node: 'verify', said: [expect.stringContaining('your order number')] });
  expect(values).toMatchObject({ order: '4711', postcode: '28013' });
  expect(turns.flatMap((turn) => turn.said).join(' ')).toContain('A refund takes five days.');
  expect(path.map(({ node }) => node)).toEqual(['welcome', 'verify', 'terms', 'look']);
  expect(path[0]).toMatchObject({ leftBy: 'intent', reason: 'the caller wants refund' });
  expect([awaits, request]).toEqual(['tool', { tool: 'find_order', arguments: { order: '4711' } }]);
});

it('goes where the results of tools lead, to the end of the call', async () => {
  const over = await play(...TO_TERMS, ok({ total: 80 }), ok('done'));
  expect(over).toMatchObject({ awaits: null, values: { found: { total: 80 } } });
  expect(over.turns.at(-1)?.said).toEqual(['Order 4711 is refunded. Goodbye.']);
  const dear = await play(...TO_TERMS, ok({ total: 900 }));
  expect(dear.path.at(-1)?.node).toBe('approver');
  const failed = await play(...TO_TERMS, { kind: 'result', ok: false });
  expect(failed.path.at(-1)).toMatchObject({ node: 'person' });
});

it('follows the exit that the model names, and refuses one that the node lacks', async () => {
  const named = await play({ kind: 'exit', intent: 'refund' });
  expect(named.path.at(-1)?.node).toBe('verify');
  const refused = await play({ kind: 'exit', intent: 'approval' });
  expect(refused).toMatchObject({ awaits: 'model', refused: [{ node: 'welcome', wanted: 'approval' }] });
});

it('takes the edge of attempts once the caller has said nothing of use so often', async () => {
  const { path } = await play(said('Hm.'), said('Well.'), said('Hm.'));
  expect(path.at(-1)?.node).toBe('person');
});

it('says which event does not fit what the call waits for', async () => {
  const wrong = play(ok(1));
  await expect(wrong).rejects.toThrow(SimulationError);
  await expect(wrong).rejects.toMatchObject({
    at: 0,
    message: expect.stringContaining('is waiting for the model'),
  });
  const late = play({ kind: 'exit', intent: 'wants_to_stop' }, said('Hello?'));
  await expect(late).rejects.toMatchObject({
    at: 1,
    message: expect.stringContaining('ended before this event'),
  });
});

it('leads to the same simulation each time', async () => {
  expect(await play(...TO_TERMS)).toEqual(await play(...TO_TERMS));
});

const BILINGUAL: Flow = {
  start: 'hello',
  nodes: [
    { id: 'hello', type: 'ask', slots: [{ name: 'order', kind: 'digits' }] },
    { id: 'hola', type: 'ask', slots: [{ name: 'order', kind: 'digits' }] },
    { id: 'bye', type: 'end', say: { en: 'Goodbye.', es: 'Adiós.' } },
  ],
  edges: [
    { from: 'hello', to: 'hola', when: { language: 'es' } },
    { from: 'hello', to: 'bye' },
    { from: 'hello', to: 'bye', when: { attempts: true } },
    { from: 'hola', to: 'bye' },
    { from: 'hola', to: 'bye', when: { attempts: true } },
  ],
};

it('goes on in the language that the caller speaks from then on, by the edge of that language', async () => {
  const es: SimulatedEvent = { kind: 'language', language: 'es' };
  const events = [es, said('Quiero hablar en español'), said('4711'), said('sí')];
  const { turns, path } = await simulateFlow({ flow: BILINGUAL, language: 'en', now: NOW }, events);
  expect(path.map(({ node, leftBy }) => [node, leftBy])).toEqual([
    ['hello', 'language'],
    ['hola', 'otherwise'],
    ['bye', 'ended'],
  ]);
  expect(turns.at(-1)?.said).toEqual(['Adiós.']);
  const others = await simulateFlow({ flow: BILINGUAL, language: 'es', now: NOW }, [es, said('4711')]);
  expect(others.path.at(-1)?.node).toBe('hello');
});

it('lets another agent have the call, and goes on where it is handed back', async () => {
  const billing = 'agt_00000000000000000001';
  const flow: Flow = {
    start: 'billing',
    nodes: [
      { id: 'billing', type: 'handoff', agent_id: billing },
      { id: 'bye', type: 'end', say: 'Goodbye.' },
    ],
    edges: [{ from: 'billing', to: 'bye' }],
  };
  const call = (...events: SimulatedEvent[]) => simulateFlow({ flow, language: 'en', now: NOW }, events);
  expect(await call(ok(null))).toMatchObject({
    awaits: 'handoff',
    request: { agent_id: billing, has_call: true },
  });
  await expect(call(ok(null), said('Hello?'))).rejects.toThrow('valid events are returned');
  const back = await call(ok(null), { kind: 'returned' });
  expect(back).toMatchObject({ awaits: null, path: [{ node: 'billing' }, { node: 'bye' }] });
});
