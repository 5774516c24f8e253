/** A sentence that a rule blocked in a call is a violation of its interaction, though it was never played. */
import { expect, it } from 'vitest';
import { acrossTenants, withinTenant } from '../../../src/foundation/storage/index.ts';
import {
  conversationIn,
  conversationOf,
  type JudgementInputs,
  judge,
  Packs,
} from '../../../src/products/trace/index.ts';
import { callConversation } from '../../../src/products/trace/sources.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const HERE = scopeFor('org_a');
const NO_INPUTS: JudgementInputs = { sounds: () => null, similarity: () => null, zones: () => null };
const SAID = [
  { role: 'user', turn_id: 1, text: 'Will it come?', start_ms: 0, end_ms: 900 },
  { role: 'agent', turn_id: 2, text: 'Let me check that.', start_ms: 1200, end_ms: 2400 },
];

onBothDatabases('a sentence that was held back', (databases) => {
  async function conversation(withheld: readonly object[] | null) {
    const storage = await databases.open();
    const call = {
      ...SEEDS.omni_calls('label', 1),
      transcript: JSON.stringify(SAID),
      withheld: withheld === null ? null : JSON.stringify(withheld),
    };
    await withinTenant(storage.db, HERE)
      .insertInto('omni_calls', call as never)
      .execute();
    const raw = await callConversation(
      storage.db as never,
      HERE,
      call.id,
      blobsIn(storage, new ManualClock(1)),
    );
    const packs = await new Packs(storage, new ManualClock(1)).chosen(HERE, [{ id: 'brand-voice' }]);
    expect(await acrossTenants(storage.db).selectFrom('omni_calls').select('id').execute()).toHaveLength(1);
    return { found: conversationOf(raw!), packs };
  }

  it('is a violation with what was to be said, when, and without personal data', async () => {
    const { packs: known } = await conversation(null);
    const [pack] = known;
    const rule = `brand-voice@${pack!.pack.version}/no-guarantees`;
    const text = 'I guarantee it, write to ana@example.com.';
    const { found, packs } = await conversation([
      { turn_id: 2, rule, text },
      { turn_id: 9, rule: 'gone@1.0.0/rule', text: 'Never said.' },
    ]);
    const verdict = judge(found, packs, NO_INPUTS);
    expect(verdict.verdict).toBe('violations');
    expect(verdict.results).toMatchObject([
      {
        pack_id: 'brand-voice',
        rule_id: 'no-guarantees',
        outcome: 'violation',
        evidence: {
          speaker: 'agent',
          start_ms: 1200,
          end_ms: 2400,
          detail: 'held back before it was spoken',
        },
      },
      { pack_id: 'gone', rule_id: 'rule', evidence: { quote: 'Never said.', start_ms: null } },
    ]);
    expect(verdict.results[0]?.evidence.quote).toMatch(/^I guarantee it, write to \[REDACTED_EMAIL\]/);
    const again = judge(conversationIn(JSON.stringify(found)), packs, NO_INPUTS);
    expect(again.digest).toBe(verdict.digest);
  });

  it('is none where nothing was held back', async () => {
    const { found, packs } = await conversation(null);
    expect(found).not.toHaveProperty('withheld');
    expect(judge(found, packs, NO_INPUTS).verdict).toBe('clean');
  });
});
