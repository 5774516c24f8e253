import type { Meter, Principal } from './contract.ts';

interface Use {
  readonly meter: Meter;
  readonly milliseconds: number;
}

/** What this node's live sessions have used and not yet recorded, as of their last recheck: without it, as many calls
 * as a key may hold could each spend the same last credit. */
export class Unrecorded {
  readonly #sessions = new Map<string, Map<object, Use>>();

  set(principal: Principal, session: object, meter: Meter, milliseconds: number): void {
    const name = nameOf(principal);
    const sessions = this.#sessions.get(name) ?? new Map<object, Use>();
    sessions.set(session, { meter, milliseconds });
    this.#sessions.set(name, sessions);
  }

  remove(principal: Principal, session: object): void {
    const name = nameOf(principal);
    const sessions = this.#sessions.get(name);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessions.delete(name);
  }

  /** By meter, of the organization's sessions but this one. */
  ofOthers(principal: Principal, session: object): ReadonlyMap<Meter, number> {
    const sums = new Map<Meter, number>();
    for (const [each, { meter, milliseconds }] of this.#sessions.get(nameOf(principal)) ?? []) {
      if (each !== session) sums.set(meter, (sums.get(meter) ?? 0) + milliseconds);
    }
    return sums;
  }
}

const nameOf = ({ orgId, environment }: Principal): string => `${orgId} ${environment}`;
