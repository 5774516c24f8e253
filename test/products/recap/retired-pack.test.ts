/** A rule pack that a scorecard names cannot be deleted; a retired one costs no call its record. */
import { expect, it } from 'vitest';
import { factsOf, Scorecards } from '../../../src/products/recap/index.ts';
import { checkPack, conversationOf } from '../../../src/products/trace/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { openTrace, turnsOf } from '../trace/server.ts';

const HERE = scopeFor('org_a');
const HOUSE = checkPack({
  pack_id: 'house',
  version: '1.0.0',
  title: 'House',
  jurisdiction: 'none',
  legal_status: 'house rules',
  rules: [
    {
      id: 'threat',
      title: 'A threat',
      kind: 'phrase',
      phrases: { en: ['my lawyer'] },
      severity: 'low',
      source: { title: 'house', date: '2026-11-24' },
    },
  ],
});
const CALL = conversationOf({
  source: { kind: 'transcript', id: null },
  language: 'en',
  utterances: turnsOf(['agent', 'My lawyer will call you.'], ['customer', 'I hope not.']).map(
    ({ speaker, text, start_ms, end_ms }) => ({ speaker, text, startMs: start_ms, endMs: end_ms }),
  ),
});
const RULE = { text: 'No threats', kind: 'yes_no', by: 'rule' } as const;

onBothDatabases('the packs of a scorecard', (databases) => {
  it('are not deleted while it names them, and what is retired is said to be not judged', async () => {
    const { storage, clock, packs, interactions } = await openTrace({ storage: await databases.open() });
    const judge = async () => new Map();
    const scorecards = new Scorecards({ storage, clock, packs, interactions, judge });
    const house = await packs.upload(HERE, HOUSE);
    const named = await scorecards.create(HERE, 'By name', [{ ...RULE, id: 'name', rule: 'house/threat' }]);
    const exact = await scorecards.create(HERE, 'By id', [
      { ...RULE, id: 'id', rule: `${house.id}/threat` },
      { id: 'talks', text: 'Talks', kind: 'scale', by: 'metric', metric: 'agent_talk_share' },
    ]);
    const score = async () =>
      (await scorecards.score(HERE, CALL, factsOf(CALL))).map(({ criterion_id, value, evidence }) => [
        criterion_id,
        value,
        evidence[0]?.detail,
      ]);
    expect(await score()).toEqual(
      expect.arrayContaining([
        ['name', 0, expect.any(String)],
        ['id', 0, expect.any(String)],
      ]),
    );

    await packs.move(HERE, house.id, 'retired', null);
    expect(await score()).toEqual(
      expect.arrayContaining([
        ['name', null, 'There is no active rule pack house.'],
        ['id', 0, expect.any(String)],
        ['talks', expect.any(Number), expect.any(String)],
      ]),
    );
    for (const card of [exact, named]) {
      const refused = { code: 'invalid_request', param: 'id', message: expect.stringContaining('scorecard') };
      await expect(packs.remove(HERE, house.id, null)).rejects.toMatchObject(refused);
      await scorecards.remove(HERE, card.id);
    }
    await packs.remove(HERE, house.id, null);
    expect(await packs.find(HERE, house.id)).toBeNull();
  });
});
