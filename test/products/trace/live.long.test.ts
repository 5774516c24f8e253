// @requirement Trace: Live rules flag, block, replace or hand over, clause by clause.
import { describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/conversation/session/contract.ts';
import { keepingTo } from '../../../src/conversation/session/topic-guard.ts';
import {
  builtinPacks,
  checkPack,
  guardOf,
  LiveGuards,
  type LiveNeeds,
  type NamedRule,
  type TraceSettings,
} from '../../../src/products/trace/index.ts';
import { settle, stage, utterance } from '../../conversation/session/stage.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { absent, plainInputs, realInputs } from './judgement-inputs.ts';
import { openTrace } from './server.ts';

const BRAND = builtinPacks().find(({ pack }) => pack.pack_id === 'brand-voice')!.pack;
const RULES = BRAND.rules
  .filter(({ kind }) => kind === 'phrase')
  .map((rule) => ({ name: `brand-voice@${BRAND.version}/${rule.id}`, rule }));
const GUARANTEE = RULES.find(({ rule }) => JSON.stringify(rule).includes('I guarantee'))!.name;
type Action = TraceSettings['actions']['on_violation'];
const needs: LiveNeeds = { inputs: plainInputs(), clock: new ManualClock() };
const guard = (on_violation: Action, safe_line: string | null = null, rules: readonly NamedRule[] = RULES) =>
  guardOf(rules, { on_violation, safe_line }, needs);

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
  expect(live.spoken('Believe me, I', 'guarantee it.', 'en')).toMatchObject({
    kind: 'flagged',
    rule: GUARANTEE,
  });
  expect(live.spoken('I guarantee it.', 'It comes on Monday.', 'en')).toBeNull();
  expect(live.spoken('', 'Je vous garantis la livraison.', 'fr')).toMatchObject({ rule: GUARANTEE });
});

it('follows the settings of the agent, within its own borders', async () => {
  const { settings, packs } = await openTrace();
  const guards = new LiveGuards(settings, packs, needs);
  const here = scopeFor('org_a');
  expect(await guards.guardFor(here, 'agent_a')).toBeNull();
  const now = await settings.of(here, null);
  const actions = { on_violation: 'block', safe_line: 'One moment.' } as const;
  await settings.put(here, 'agent_a', {
    ...now,
    enabled: true,
    rule_packs: [{ id: 'brand-voice' }, { id: 'PII' }],
    actions,
  });
  const live = await guards.guardFor(here, 'agent_a');
  expect(live?.spoken('', 'We guarantee it.', 'en')).toEqual({
    kind: 'blocked',
    rule: GUARANTEE,
    instead: 'One moment.',
  });
  expect(live?.spoken('And what are', 'the three digits on the back?', 'en')).toMatchObject({
    kind: 'blocked',
  });
  // A rule that only reports does not block the sentence.
  expect(live?.spoken('', 'The card is 4111 1111 1111 1111.', 'en')).toBeNull();
  expect(await guards.guardFor(here, 'agent_b')).toBeNull();
  expect(await guards.guardFor(scopeFor('org_b'), 'agent_a')).toBeNull();
});

const rule = (id: string, own: object): NamedRule => {
  const source = { title: 'house', date: '2026-11-24' };
  const { rules } = checkPack({
    pack_id: 'house',
    version: '1.0.0',
    title: 'House',
    jurisdiction: 'none',
    legal_status: 'house rules',
    rules: [{ id, title: id, severity: 'high', source, ...own }],
  });
  return { name: `house@1.0.0/${id}`, rule: rules[0]! };
};
const THREAT = rule('threat', { kind: 'phrase', speaker: 'customer', phrases: { en: ['call my lawyer'] } });

// @requirement Trace: Live rules judge what callers say.
it('hands the call over in the turn that answers what the caller said, and asks no model', async () => {
  const staged = stage({}, [], { guard: guard('handoff', null, [THREAT]) });
  staged.session.start();
  staged.session.take({ kind: 'final', ...utterance('I will call my lawyer.') });
  await settle();
  expect(staged.lane.audible.map(({ text }) => text)).toEqual([expect.stringMatching(/hand you over/)]);
  expect(staged.brain.requests).toEqual([]);
  staged.lane.playOut(0);
  await settle();
  expect(staged.sent).toContainEqual({ ended: 'hand_over' });
  expect(staged.sent).toContainEqual({
    degraded: { turnId: 2, rung: 'caller', reason: 'trace_handed_over' },
  });
});

it('notes what a caller said, and answers it', async () => {
  const staged = stage({}, [], { guard: guard('block', null, [THREAT]) });
  staged.session.start();
  staged.brain.says('I am sorry to hear that.');
  staged.session.take({ kind: 'final', ...utterance('I will call my lawyer.') });
  await settle();
  expect(staged.lane.audible.map(({ text }) => text)).toEqual(['I am sorry to hear that.']);
  staged.lane.playOut(0);
  expect(staged.sent).toContainEqual({ degraded: { turnId: 2, rung: 'caller', reason: 'trace_flagged' } });
});

// @requirement Trace: Live rules judge greetings and `say`.
it('speaks no greeting and nothing of say that breaks a rule', async () => {
  const options = { guard: guard('block', 'Let me check that.') };
  const staged = stage(
    { greeting: 'Hello, I guarantee it.', consentLine: 'This call is recorded.' },
    [],
    options,
  );
  staged.session.start();
  const spoken = () => staged.lane.audible.map(({ text }) => text);
  expect(spoken()).toEqual(['This call is recorded. Let me check that.']);
  staged.lane.playOut(0);
  staged.session.say('We guarantee it.');
  staged.lane.playOut(1);
  staged.session.say('It comes on Monday.');
  expect(spoken().slice(1)).toEqual(['Let me check that.', 'It comes on Monday.']);
  const { transcript } = staged.session.conversation;
  expect(JSON.stringify(transcript)).not.toContain('guarantee');
});

const TOPIC = rule('no-advice', {
  kind: 'topic',
  topic: { examples: ['You should sue your landlord.'], threshold: 0.5 },
});

it('goes on by letters where meanings do not come in time', async () => {
  const clock = new ManualClock();
  const asked = guardOf(
    [TOPIC],
    { on_violation: 'block', safe_line: null },
    {
      inputs: { learn: () => new Promise(() => undefined) },
      clock,
    },
  ).meant?.ask('You should take your landlord to court.', 'en');
  clock.advance(300);
  expect(await asked).toBeNull();
});

describe.skipIf(absent)('with sounds and meanings', { timeout: 180_000 }, () => {
  // @requirement Trace: Forbidden topics are found before the clause is spoken.
  it('keeps an agent off a topic before the clause is spoken, and hears what sounds like a phrase', async () => {
    const inputs = await realInputs();
    const patient = { after: () => () => undefined };
    const live = guardOf(
      [TOPIC, THREAT],
      { on_violation: 'block', safe_line: 'Let me check that.' },
      { inputs, clock: patient },
    );
    const staged = await answered(
      live,
      'It is on its way. ',
      'You should take your landlord to court. ',
      'And you will win. ',
    );
    await expect
      .poll(() => staged.lane.audible.map(({ text }) => text))
      .toEqual(['It is on its way. Let me check that.']);
    expect(await live.heard?.('I will call my loyer.', 'en')).toMatchObject({ rule: THREAT.name });
    expect(await live.heard?.('I will call my mother.', 'en')).toBeNull();
  });

  it('tells what is about the topics of a step, and small talk, from what is about something else', async () => {
    const patient = { after: () => () => undefined };
    const needs: LiveNeeds = { inputs: await realInputs(), clock: patient };
    const { similarity } = new LiveGuards({} as never, {} as never, needs);
    const { meant } = keepingTo(
      { rule: 'flow/days/topics', about: ['delivery of parcels', 'delivery days'] },
      similarity,
      undefined,
    );
    const isWithheld = async (text: string) => (await meant?.ask(text, 'en')) !== null;
    for (const about of [
      'Your parcel can be delivered on Thursday or on Friday.',
      'If nobody is at home, we leave the package with a neighbour.',
      'Of course, I am happy to help you with that.',
      'One moment please, I am looking that up for you.',
    ])
      expect(await isWithheld(about), about).toBe(false);
    for (const other of [
      'Vaccines are tested on thousands of people before they are sold.',
      'I think that the minister ought to resign.',
      'The new phone has a better camera than the old one.',
    ])
      expect(await isWithheld(other), other).toBe(true);
  });
});
