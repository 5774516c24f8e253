import type { Meter } from '../../src/access/contract.ts';
import type { UsageEvent } from '../../src/billing/contract.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Storage } from '../../src/storage/index.ts';

/** A clock that a test moves. */
export class ManualClock implements Clock {
  #now: number;
  readonly #tasks = new Set<{ at: number; task: () => void }>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const entry = { at: this.#now + ms, task };
    this.#tasks.add(entry);
    return () => this.#tasks.delete(entry);
  }

  advance(ms: number): void {
    this.set(this.#now + ms);
  }

  set(now: number): void {
    for (;;) {
      const due = [...this.#tasks].filter((entry) => entry.at <= now).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#tasks.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.task();
    }
    this.#now = now;
  }
}

export interface TestOrganization {
  readonly orgId: string;
  readonly projectId: string;
}

export async function makeOrganization(storage: Storage, plan = 'standard'): Promise<TestOrganization> {
  const orgId = newId('org');
  const projectId = newId('proj');
  await storage.transaction(async (transaction) => {
    await transaction
      .insertInto('organizations')
      .values({
        id: orgId,
        name: 'Test',
        kind: 'account',
        plan,
        trace_entitled: 0,
        referral: null,
        created_at: 0,
      })
      .execute();
    await transaction
      .insertInto('projects')
      .values({ id: projectId, org_id: orgId, name: 'Default', created_at: 0 })
      .execute();
  });
  return { orgId, projectId };
}

export const usageEvent = (
  organization: TestOrganization,
  meter: Meter,
  milliseconds: number,
  occurredAt: number,
  more: Partial<UsageEvent> = {},
): UsageEvent => ({
  id: newId('use'),
  meter,
  ...organization,
  keyId: 'key_test',
  environment: 'live',
  milliseconds,
  count: 0,
  resource: 'test',
  occurredAt,
  ...more,
});
