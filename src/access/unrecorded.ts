import type { Meter, Principal } from './contract.ts';

interface Use {
  readonly keyId: string | null;
  readonly meter: Meter;
  readonly milliseconds: number;
}

interface Others {
  readonly ofAll: ReadonlyMap<Meter, number>;
  readonly ofKey: ReadonlyMap<Meter, number>;
}

/** What this node's live sessions have used and not yet recorded, as of their last recheck: without it, as many calls
 * as a key may hold could each spend the same last credit, or the same rest of the key's budget. */
export class Unrecorded {
  readonly #sessions = new Map<string, Map<object, Use>>();

  set(principal: Principal, session: object, meter: Meter, milliseconds: number): void {
    const name = nameOf(principal);
    const sessions = this.#sessions.get(name) ?? new Map<object, Use>();
    sessions.set(session, { keyId: principal.keyId, meter, milliseconds });
    this.#sessions.set(name, sessions);
  }

  remove(principal: Principal, session: object): void {
    const name = nameOf(principal);
    const sessions = this.#sessions.get(name);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(name);
  }

  /** By meter, of the organization's sessions but this one: of all its keys, and of this session's key alone. */
  ofOthers(principal: Principal, session: object): Others {
    const ofAll = new Map<Meter, number>();
    const ofKey = new Map<Meter, number>();
    for (const [each, { keyId, meter, milliseconds }] of this.#sessions.get(nameOf(principal)) ?? []) {
      if (each === session) continue;
      ofAll.set(meter, (ofAll.get(meter) ?? 0) + milliseconds);
      if (keyId === principal.keyId) ofKey.set(meter, (ofKey.get(meter) ?? 0) + milliseconds);
    }
    return { ofAll, ofKey };
  }
}

const nameOf = ({ orgId, environment }: Principal): string => `${orgId} ${environment}`;
