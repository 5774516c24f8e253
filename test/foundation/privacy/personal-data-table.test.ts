// @requirement Privacy: Erasure issues a certificate, survives a kill and is replayed after a restore.
import { expect, it } from 'vitest';
import { personalDataStoreOf } from '../../../src/foundation/privacy/index.ts';
import { type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import type { TenantTableName } from '../../../src/foundation/storage/tables/index.ts';
import { telephonyPersonalData } from '../../../src/telephony/dialling/index.ts';
import { msgappPersonalData } from '../../../src/telephony/msgapp/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { onBothDatabases } from '../storage/databases.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const HERE = scopeFor('org_a');
const ELSEWHERE = scopeFor('org_a', { environment: 'sandbox' });
const ANN = '+15005550001';
const person = (externalId: string) => ({ externalId, until: NOW });
const noHolds = { among: async () => new Set<string>() };
const holdOn = (id: string) => ({
  among: async (_: unknown, ids: readonly string[]) => new Set(ids.filter((one) => one === id)),
});

onBothDatabases('a declared holding', ({ open }) => {
  async function put(
    storage: Storage,
    table: TenantTableName,
    change: object = {},
    scope = HERE,
  ): Promise<string> {
    const row = { ...SEEDS[table]('x', NOW - 1), ...change };
    // biome-ignore lint/suspicious/noExplicitAny: a table by its name, and its own row.
    await (withinTenant(storage.db, scope) as any).insertInto(table, row).execute();
    return (row as unknown as { id: string }).id;
  }

  it('finds a person on either side of a call, and takes only what is over, is theirs and is here', async () => {
    const storage = await open();
    const gone: string[] = [];
    const blobs = { deleteOwner: async (_area: string, owner: string) => void gone.push(owner) };
    const phones = telephonyPersonalData(storage, blobs);
    const called = await put(storage, 'telephony_calls', { to_number: ANN });
    const calling = await put(storage, 'telephony_calls', { from_number: ANN, to_number: '+15005550009' });
    const live = await put(storage, 'telephony_calls', { to_number: ANN, state: 'live' });
    const later = await put(storage, 'telephony_calls', { to_number: ANN, created_at: NOW + 1 });
    const there = await put(storage, 'telephony_calls', { to_number: ANN }, ELSEWHERE);
    await put(storage, 'telephony_targets', { to_number: ANN });
    expect(await phones.dataSubjectsOf(HERE)).toEqual(expect.arrayContaining([ANN, '+15005550009']));
    const removed = await phones.erase(HERE, person(ANN), noHolds);
    expect(removed.counts).toEqual({ telephony_calls: 2, telephony_targets: 1 });
    expect([...removed.records].sort()).toEqual([called, calling].sort());
    expect(gone.sort()).toEqual([called, calling].sort());
    expect(await Promise.all([called, live, later].map((id) => phones.has(HERE, id)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(await phones.has(ELSEWHERE, there)).toBe(true);
    expect((await phones.erase(HERE, person(ANN), noHolds)).records).toEqual([]);
  });

  it('takes what names the person besides, also where no record is left', async () => {
    const storage = await open();
    const personalData = msgappPersonalData(storage);
    await put(storage, 'msgapp_permissions', { phone_number: ANN });
    expect(await personalData.dataSubjectsOf(HERE)).toEqual([ANN]);
    expect((await personalData.erase(HERE, person(ANN), noHolds)).counts).toEqual({
      msgapp_calls: 0,
      msgapp_permissions: 1,
    });
    expect(await personalData.dataSubjectsOf(HERE)).toEqual([]);
  });

  it('keeps a row whose other record is held, and removes both when it is not', async () => {
    const storage = await open();
    const gone: string[] = [];
    const casts = personalDataStoreOf(storage, {
      table: 'cast_projects',
      counted: 'casts',
      records: { cast_renders: 'cast_id' },
      remove: async (_scope, id) => {
        gone.push(id);
        return { renders: 1 };
      },
    });
    const cast = await put(storage, 'cast_projects', { external_id: 'ann' });
    const render = await put(storage, 'cast_renders', { cast_id: cast });
    expect(await casts.has(HERE, render)).toBe(true);
    expect(await casts.erase(HERE, person('ann'), holdOn(render))).toEqual({
      counts: { casts: 0 },
      records: [],
      held: [render],
    });
    expect(gone).toEqual([]);
    expect(await casts.erase(HERE, person('ann'), noHolds)).toEqual({
      counts: { casts: 1, renders: 1 },
      records: [cast, render],
      held: [],
    });
    expect(gone).toEqual([cast]);
  });
});
