// @requirement Audit log: The audit log records who did what from where, and can be exported.
import { expect, it } from 'vitest';
import { completeFields } from '../../../src/conversation/agents/fields.ts';
import { AgentStore, ToolStore } from '../../../src/conversation/agents/index.ts';
import { EMPTY_TOOL } from '../../../src/conversation/agents/tools/fields.ts';
import { Sealer } from '../../../src/foundation/access/index.ts';
import type { AuditActor } from '../../../src/foundation/audit/index.ts';
import { brokenChains } from '../../../src/foundation/audit/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const ours = scopeFor('org_a');
const ana: AuditActor = { kind: 'key', id: 'key_ana', from: '203.0.113.7', requestId: 'req_1' };

onBothDatabases('the log of changes', (databases) => {
  it('says who made, changed, published, shared out and removed an agent, and never its words', async () => {
    const storage = await databases.open();
    const store = new AgentStore(storage, new ManualClock());
    const fields = completeFields({ name: 'Desk', persona: 'the persona of the desk' });
    const made = await store.create(ours, fields, true, undefined, ana);
    await store.save(ours, made, true, fields, ana);
    await store.publish(ours, made.id, 2, ana);
    await store.share(ours, made.id, { '1': 40, '2': 60 }, ana);
    expect(await store.delete(scopeFor('org_b'), made.id, ana)).toBe(false);
    expect(await store.delete(ours, made.id, ana)).toBe(true);
    const entries = await storage.db.selectFrom('audit_entries').selectAll().orderBy('sequence').execute();
    expect(entries.map(({ action, target, actor_id }) => [action, target, actor_id])).toEqual(
      ['created', 'changed', 'published', 'published', 'deleted'].map((what) => [
        `agent.${what}`,
        made.id,
        'key_ana',
      ]),
    );
    const [, , published, shared, deleted] = entries;
    expect(
      [published?.before, published?.after].map((text) => JSON.parse(text ?? '').published_version),
    ).toEqual([null, 2]);
    expect(JSON.parse(shared?.after ?? '')).toEqual({
      name: 'Desk',
      latest_version: 2,
      published_version: 2,
      traffic: { '1': 40, '2': 60 },
      required_suite: null,
    });
    expect(deleted?.after).toBeNull();
    expect(JSON.stringify(entries)).not.toContain('persona');
    expect(await brokenChains(storage.db)).toEqual([]);
  });

  it('says who made, changed and removed a tool, and never what its headers hold', async () => {
    const storage = await databases.open();
    const store = new ToolStore(storage, new ManualClock(), new Sealer(Buffer.alloc(32, 3), 't'));
    const fields = {
      ...EMPTY_TOOL,
      name: 'stock',
      kind: 'webhook' as const,
      url: 'https://crm.example.com/stock?token=of-the-url',
      headers: { authorization: 'Bearer of-the-header' },
    };
    const made = await store.create(ours, fields, undefined, ana);
    await store.save(ours, made.id, { ...fields, confirm: true }, ana);
    await expect(store.save(scopeFor('org_b'), made.id, fields, ana)).rejects.toThrow('no such tool');
    expect(await store.delete(scopeFor('org_b'), made.id, ana)).toBe(false);
    expect(await store.delete(ours, made.id, ana)).toBe(true);
    const entries = await storage.db.selectFrom('audit_entries').selectAll().orderBy('sequence').execute();
    expect(entries.map(({ action, target, actor_id }) => [action, target, actor_id])).toEqual(
      ['created', 'changed', 'deleted'].map((what) => [`tool.${what}`, made.id, 'key_ana']),
    );
    const [, changed] = entries;
    expect([changed?.before, changed?.after].map((text) => JSON.parse(text ?? '').confirm)).toEqual([
      false,
      true,
    ]);
    expect(JSON.parse(changed?.after ?? '')).toMatchObject({
      host: 'crm.example.com',
      headers: ['authorization'],
    });
    expect(JSON.stringify(entries)).not.toMatch(/of-the-(url|header)/);
    expect(await brokenChains(storage.db)).toEqual([]);
  });
});
