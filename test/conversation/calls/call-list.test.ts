// @requirement Calls: Lists of calls have filters, cursors and full-text search.

import { expect, it } from 'vitest';
import { CallStore, type OmniCallFilter } from '../../../src/conversation/calls/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { type PageEnd, pageOf, pageStart } from '../../../src/foundation/platform/pages.ts';
import { acrossTenants, withinTenant } from '../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const MAYA = 'agt_0000000000000000maya';
const JOE = 'agt_00000000000000000joe';
const HERE = scopeFor('org_a');

interface CreatedCall {
  readonly label?: string;
  readonly agent?: readonly [id: string, version: number];
  readonly external?: string;
  readonly says?: string;
  readonly outcome?: string;
  readonly failed?: boolean;
}

const CALLS: Readonly<Record<string, CreatedCall>> = {
  one: { agent: [MAYA, 1], says: 'The boiler is broken.', outcome: 'follow_up', external: 'ana' },
  two: { agent: [MAYA, 2], says: 'Mañana a las 9:30, por favor.', outcome: 'resolved' },
  three: { agent: [JOE, 1], says: 'Die Größe ist 100% falsch_gedruckt.', label: 'shop' },
  four: { says: 'मेरा बॉयलर खराब है', label: 'shop', failed: true },
  five: { says: 'No more oil', external: 'ana' },
};

onBothDatabases('the list of calls', (databases) => {
  async function open() {
    const storage = await databases.open();
    const clock = new ManualClock(1_000);
    const calls = new CallStore({
      storage,
      blobs: blobsIn(storage, clock),
      clock,
      background: new BackgroundTasks({ clock }),
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    });
    const make = async (name: string, made: CreatedCall, place: object = {}) => {
      const principal = {
        ...new OneKeyAccess().principal(),
        orgId: HERE.org,
        projectId: HERE.project,
        environment: HERE.environment,
        ...place,
      };
      const id = `ocl_${name.padStart(20, '0')}`;
      clock.advance(10);
      await calls.open({
        id,
        principal,
        sessionLabel: made.label ?? null,
        externalId: made.external ?? null,
        language: 'en',
        voiceId: 'en1',
        voiceTier: 'standard',
        meta: null,
        agentId: made.agent?.[0] ?? null,
        agentVersion: made.agent?.[1] ?? null,
      });
      const said = { role: 'user', turn_id: 1, text: made.says ?? '', start_ms: 0, end_ms: 1 };
      await calls.close(id, {
        ...ENDED,
        status: made.failed ? 'failed' : 'completed',
        transcript: [{ ...said, role: 'agent', text: 'Hello.' }, said],
      });
      if (made.outcome !== undefined)
        await acrossTenants(storage.db)
          .updateTable('omni_calls')
          .set({ outcome: made.outcome })
          .where('id', '=', id)
          .execute();
    };
    for (const [name, made] of Object.entries(CALLS)) await make(name, made);
    const names = async (filter: OmniCallFilter, scope = HERE) =>
      (await calls.list(scope, filter, null)).map(({ id }) => id.slice(4).replace(/^0+/, ''));
    return { storage, calls, make, names };
  }

  it.each<[OmniCallFilter, readonly string[]]>([
    [{ agent_id: MAYA }, ['two', 'one']],
    [{ agent_id: MAYA, agent_version: 1 }, ['one']],
    [{ agent_id: 'agt_00000000000000000000' }, []],
    [{ session_label: 'shop' }, ['four', 'three']],
    [{ session_label: 'SHOP' }, []],
    [{ session_label: "' or 1=1 --" }, []],
    [{ external_id: 'ana' }, ['five', 'one']],
    [{ status: 'failed' }, ['four']],
    [{ outcome: 'resolved' }, ['two']],
    [{ outcome: 'unknown' }, []],
    [{ from: 1_020, to: 1_040 }, ['four', 'three', 'two']],
    [{ from: 1_051 }, []],
    [{ to: 1_010 }, ['one']],
    [{ external_id: 'ana', q: 'boiler', to: 1_010 }, ['one']],
    [{ q: 'BOILER' }, ['one']],
    [{ q: 'boil broken' }, ['one']],
    [{ q: 'broken oil' }, []],
    [{ q: 'oil' }, ['five']],
    [{ q: 'manana' }, ['two']],
    [{ q: '9:30' }, ['two']],
    [{ q: 'größe' }, ['three']],
    [{ q: 'बॉयलर' }, ['four']],
    [{ q: 'hello' }, ['five', 'four', 'three', 'two', 'one']],
    [{ q: '%' }, ['five', 'four', 'three', 'two', 'one']],
    [{ q: 'b%r' }, []],
    [{ q: 'b_iler' }, []],
    [{ q: 'turn_id start_ms role' }, []],
    [{ q: 'user' }, []],
  ])('for %j shows %j', async (filter, expected) => {
    const { names } = await open();
    expect(await names(filter)).toEqual(expected);
  });

  it('never shows a call of another organization, project or environment, whatever is asked for', async () => {
    const { make, names } = await open();
    const theirs = { label: 'shop', agent: [MAYA, 1], external: 'ana', says: 'secret boiler' } as const;
    await make('theirs', { ...theirs, outcome: 'resolved' }, { orgId: 'org_b' });
    await make('project', { ...theirs, outcome: 'resolved' }, { projectId: 'proj_2' });
    await make('sandbox', { ...theirs, outcome: 'resolved' }, { environment: 'sandbox' });
    expect(await names({ q: 'secret' })).toEqual([]);
    expect(await names({ session_label: 'shop' })).toEqual(['four', 'three']);
    expect(await names({ agent_id: MAYA, outcome: 'resolved' })).toEqual(['two']);
    expect(await names({ q: 'secret', external_id: 'ana' }, scopeFor('org_b'))).toEqual(['theirs']);
  });

  it('goes on where the page before ended, by the same filter', async () => {
    const { make, calls } = await open();
    for (const name of ['six', 'seven', 'eight']) await make(name, { label: 'shop' });
    const seen: string[] = [];
    let start: PageEnd | null = null;
    do {
      const query = { session_label: 'shop', limit: 2 };
      const page: { data: string[]; next_cursor: string | null } = pageOf(
        await calls.list(HERE, query, start),
        query,
        (row) => ({ createdAt: row.created_at, id: row.id }),
        ({ id }) => id.replace(/^ocl_0+/, ''),
      );
      seen.push(...page.data);
      start = page.next_cursor === null ? null : pageStart({ cursor: page.next_cursor });
    } while (start !== null);
    expect(seen).toEqual(['eight', 'seven', 'six', 'four', 'three']);
  });

  it('finds no words any more once they are no longer kept', async () => {
    const { storage, names } = await open();
    await withinTenant(storage.db, HERE)
      .updateTable('omni_calls')
      .set({ said: null, transcript: null })
      .execute();
    expect(await names({ q: 'boiler' })).toEqual([]);
  });
});
