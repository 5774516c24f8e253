// @requirement Compliance cases: The timeline says who did what, for each version.
// @requirement Compliance cases: A case reports `network_status`, `continuation_reason` and `terminal_reason`.
// @requirement Compliance cases: No transition outside the table happens, whoever acts at once.
// @requirement States: A compliance case has the transitions of its table and no others.
/** The state machine allows no other transition, whatever two people and the workers do concurrently. */
import { expect, it } from 'vitest';
import { CASE_STATES, type CaseState } from '../../../src/telephony/compliance/contract.ts';
import { isTerminal, TRANSITIONS, transitionsTo } from '../../../src/telephony/compliance/state-machine.ts';
import { authority, bill, facts } from '../../edge/surfaces/compliance/sample-documents.ts';
import { type Answer, type Json, openTestbed, type Testbed } from '../../edge/surfaces/compliance/server.ts';
import { fc, runs } from '../../property-tests.ts';

it('goes ways that are made of moves of the table alone', () => {
  for (const from of CASE_STATES) {
    for (const to of CASE_STATES) {
      let way: readonly CaseState[];
      try {
        way = transitionsTo(from, to);
      } catch {
        continue;
      }
      let at: CaseState = from;
      for (const next of way) {
        expect(TRANSITIONS[at]).toContain(next);
        at = next;
      }
      expect(at).toBe(to);
    }
  }
});

const known = facts();
const PAPERS = {
  authority: authority(known),
  bill: bill(known),
  otherBill: bill(facts(9)),
  nothing: Buffer.from('%PDF-1.7\nno more\n%%EOF\n'),
} as const;

type Deed =
  | { readonly kind: 'upload'; readonly request: string; readonly paper: keyof typeof PAPERS }
  | { readonly kind: 'attest'; readonly id: string }
  | { readonly kind: 'correct'; readonly at: number; readonly value: string }
  | { readonly kind: 'submit' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'wait' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('upload' as const),
      request: fc.constantFrom('letter_of_authority', 'telephone_bill'),
      paper: fc.constantFrom(...(Object.keys(PAPERS) as (keyof typeof PAPERS)[])),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('attest' as const),
      id: fc.constantFrom('accurate', 'authority', 'rules_confirmed'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('correct' as const),
      at: fc.nat(3),
      value: fc.constantFrom(known.account_holder![1], 'Somebody Else'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'submit' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancel' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'wait' as const }) },
);

async function act(testbed: Testbed, id: string, one: Deed, ifMatch: boolean): Promise<Answer | null> {
  const before = await testbed.read(id);
  const headers: Record<string, string> = ifMatch ? { 'if-match': `"${before.version}"` } : {};
  switch (one.kind) {
    case 'upload':
      return await testbed.upload(id, one.request, PAPERS[one.paper], { headers });
    case 'attest':
      return await testbed.send(
        'POST',
        `/${id}/attestations`,
        { attestation_request_id: one.id, accepted: true },
        headers,
      );
    case 'correct': {
      const extraction_id = before.extractions[one.at]?.id ?? 'ext_00000000000000000000';
      const body = {
        extraction_id,
        field: 'account_holder',
        value: one.value,
        reason: 'As it stands there.',
      };
      return await testbed.send('POST', `/${id}/corrections`, body, headers);
    }
    case 'submit':
      return await testbed.send('POST', `/${id}/submit`, undefined, headers);
    case 'cancel':
      return await testbed.send('POST', `/${id}/cancel`, {}, headers);
    case 'wait':
      await testbed.settled(id);
      return null;
  }
}

function check(one: Json): void {
  const versions = one.timeline.map(({ version }: Json) => version);
  expect(versions).toEqual(versions.map((_: number, at: number) => at + 1));
  expect(one.version).toBe(versions.length);
  let state: CaseState = 'collecting_evidence';
  for (const { from, to, type } of one.timeline as Json[]) {
    if (to === null) continue;
    expect(from).toBe(state);
    expect(TRANSITIONS[state], `${from} to ${to} by ${type}`).toContain(to);
    state = to as CaseState;
  }
  expect(one.state).toBe(state);
  if (one.state === 'ready_for_submission') expect(one.missing).toEqual([]);
  if (one.state === 'submitted') expect(one.terminal_reason).toBe('network_review_submitted');
  expect(one.terminal_reason === 'cancelled_by_customer').toBe(one.state === 'cancelled');
  expect(one.ended_at !== null).toBe(isTerminal(one.state));
  const reading = one.extractions.filter(({ status }: Json) => status === 'queued' || status === 'running');
  if (isTerminal(one.state)) expect(reading).toEqual([]);
  if (one.state !== 'extracting') expect(one.clock_ends_at).toBeNull();
}

const person = fc.record({ deeds: fc.array(deed, { minLength: 3, maxLength: 8 }), ifMatch: fc.boolean() });

it('makes no move outside the table, and every version has one line, whoever acts when', async () => {
  const testbed = await openTestbed();
  await fc.assert(
    fc.asyncProperty(person, person, async (one, other) => {
      const { id } = await testbed.open();
      const walk = async ({ deeds, ifMatch }: { deeds: readonly Deed[]; ifMatch: boolean }) => {
        for (const each of deeds) {
          const answer = await act(testbed, id, each, ifMatch);
          expect([200, 201, 400, 409], answer?.text).toContain(answer?.status ?? 200);
          if (answer !== null && answer.status < 300) check(answer.json);
          check(await testbed.read(id));
        }
      };
      await Promise.all([walk(one), walk(other)]);
      check(await testbed.settled(id));
    }),
    { numRuns: runs(8, 40) },
  );
}, 120_000);
