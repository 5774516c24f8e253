/** What an agent is about to say is held against its rules, clause by clause, before the voice has it. */
import { expect, it } from 'vitest';
import type { SessionOptions } from '../../src/session/contract.ts';
import { builtinPacks, guardOf, LiveGuards, type TraceSettings } from '../../src/trace/index.ts';
import { reachFor } from '../access/borders.ts';
import { settle, stage, utterance } from '../session/stage.ts';
import { openTrace } from './server.ts';

const BRAND = builtinPacks().find(({ pack }) => pack.pack_id === 'brand-voice')!.pack;
const RULES = BRAND.rules
  .filter(({ kind }) => kind === 'phrase')
  .map((rule) => ({ name: `brand-voice@${BRAND.version}/${rule.id}`, rule }));
const GUARANTEE = RULES.find(({ rule }) => JSON.stringify(rule).includes('I guarantee'))!.name;
const guard = (on_violation: TraceSettings['actions']['on_violation'], safe_line: string | null = null) =>
  guardOf(RULES, { on_violation, safe_line });

async function answered(rule: SessionOptions['guard'], ...pieces: string[]) {
  const staged = stage({}, [], { guard: rule });
  staged.session.start();
  staged.brain.says(...pieces);
  staged.session.take({ kind: 'final', ...utterance('When will it come?') });
  await settle();
  return { ...staged, spoken: staged.lane.audible.map(({ text }) => text).join(' ') };
}

it('speaks what broke a rule all the same where it is only flagged, and notes the rule', async () => {
  const { spoken, lane, sent } = await answered(guard('flag'), 'It is on its way. ', 'I guarantee it. ');
  expect(spoken).toBe('It is on its way. I guarantee it.');
  lane.playOut(0);
  expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'answer', reason: 'trace_flagged' } });
});

it('speaks the safe line in the place of a clause that is blocked, and nothing behind it', async () => {
  const said = ['It is on its way. ', 'I guarantee it comes. ', 'And it is free. '];
  const { spoken, lane, sent, session } = await answered(guard('block', 'Let me check that.'), ...said);
  expect(spoken).toBe('It is on its way. Let me check that.');
  lane.playOut(0);
  expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'answer', reason: 'trace_blocked' } });
  expect(sent).not.toContainEqual({ ended: 'hand_over' });
  expect(JSON.stringify(session.conversation.transcript)).not.toContain('guarantee');
});

it('has words of its own where the tenant has no safe line', async () => {
  const { spoken } = await answered(guard('block'), 'I guarantee it comes.');
  expect(spoken).toMatch(/don't have that information/);
});

it('ends the call with a person behind the same turn, and does what the answer asked for no more', async () => {
  const staged = await answered(guard('handoff'), 'I guarantee it comes.');
  expect(staged.spoken).toMatch(/hand you over/);
  staged.lane.playOut(0);
  await settle();
  expect(staged.sent).toContainEqual({ ended: 'hand_over' });
});

it('finds a phrase that begins in one clause and ends in the next, and counts none twice', () => {
  const live = guard('flag');
  expect(live('Believe me, I', 'guarantee it.', 'en')).toMatchObject({ kind: 'flagged', rule: GUARANTEE });
  expect(live('I guarantee it.', 'It comes on Monday.', 'en')).toBeNull();
  expect(live('', 'Je vous garantis la livraison.', 'fr')).toMatchObject({ rule: GUARANTEE });
});

it('follows the settings of the agent, within its own borders', async () => {
  const { settings, packs } = await openTrace();
  const guards = new LiveGuards(settings, packs);
  const here = reachFor('org_a');
  expect(await guards.of(here, 'agent_a')).toBeNull();
  const now = await settings.of(here, null);
  const actions = { on_violation: 'block', safe_line: 'One moment.' } as const;
  await settings.put(here, 'agent_a', {
    ...now,
    enabled: true,
    rule_packs: [{ id: 'brand-voice' }, { id: 'PII' }],
    actions,
  });
  const live = await guards.of(here, 'agent_a');
  expect(live?.('', 'We guarantee it.', 'en')).toEqual({
    kind: 'blocked',
    rule: GUARANTEE,
    instead: 'One moment.',
  });
  expect(live?.('And what are', 'the three digits on the back?', 'en')).toMatchObject({ kind: 'blocked' });
  // A number that is only worth knowing stops nobody.
  expect(live?.('', 'The card is 4111 1111 1111 1111.', 'en')).toBeNull();
  expect(await guards.of(here, 'agent_b')).toBeNull();
  expect(await guards.of(reachFor('org_b'), 'agent_a')).toBeNull();
});
