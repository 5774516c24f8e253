import { isIP } from 'node:net';
import type { CarrierCall } from '../contract.ts';
import type { SipEvent, SipOrder } from './program.ts';
import type { SipTrunk } from './settings.ts';
import type { SipCall } from './sip-call.ts';
import { type FoundTrunk, outgoingId, trunkOf, uriAt } from './trunks.ts';

export interface AttendedTransfersDeps {
  readonly calls: Map<string, SipCall>;
  readonly send: (order: SipOrder) => void;
  readonly orderTo: (found: FoundTrunk, to: string, from: string) => Omit<SipOrder, 'do'> | null;
}

const NO_SUCH_CALL = 481;
const PLACE = /^sips?:(?:[^@]*@)?(\[[^\]]+\]|[^:;]+)(?::([0-9]+))?/i;

export class AttendedTransfers {
  readonly #deps: AttendedTransfersDeps;
  readonly #trunks = new WeakMap<SipCall, string>();

  constructor(deps: AttendedTransfersDeps) {
    this.#deps = deps;
  }

  add(call: SipCall, { trunk }: FoundTrunk): void {
    this.#trunks.set(call, trunk.name);
    this.#deps.calls.set(call.id, call);
  }

  /**
   * Returns the address and the dialog of `other`'s far side, for a REFER of `call`. Returns null unless both are
   * calls of the same trunk, and the trunk connects its parties.
   */
  partner(call: SipCall, other: CarrierCall, trunk: SipTrunk): { to: string; with: string } | null {
    const found = [...this.#deps.calls.values()].find((one) => one === other);
    if (!trunk.replaces || found === undefined || found === call) return null;
    if (this.#trunks.get(found) !== trunk.name) return null;
    const theirs = trunk.numbers.includes(found.to) ? found.from : found.to;
    return { to: uriAt(trunk, theirs), with: found.id };
  }

  moved(call: SipCall, from: string, to: string): void {
    this.#deps.calls.delete(from);
    this.#deps.calls.set(to, call);
  }

  invited(event: SipEvent, { trunk }: FoundTrunk): boolean {
    if (event.replaces === undefined) return false;
    const call = this.#deps.calls.get(String(event.replaces));
    if (call !== undefined && this.#trunks.get(call) === trunk.name) call.take(event);
    else this.#deps.send({ do: 'respond', id: event.id ?? '', status: NO_SUCH_CALL });
    return true;
  }

  /**
   * Calls a party with whom the far side already has a call. `Require: replaces` makes any other party reject the
   * INVITE, so that no unrelated number is dialed at the tenant's cost.
   */
  follow(call: SipCall, found: FoundTrunk, to: string, replaces: string, sdp: string): string | null {
    const { trunk } = found;
    const ours = trunk.numbers.includes(call.to) ? call.to : call.from;
    const order = this.#deps.orderTo(found, to, ours);
    const [, host = '', port = ''] = PLACE.exec(to) ?? [];
    const address = host.replace(/^\[|\]$/g, '');
    const byName = isIP(address) === 0 && host.toLowerCase() === trunk.host.toLowerCase();
    const isThere = byName || (isIP(address) !== 0 && trunkOf([found], address) !== null);
    if (order === null || !isThere) return null;
    const id = outgoingId();
    this.#deps.calls.set(id, call);
    const own = { proxy: `sip:${host}:${port || trunk.port};transport=${trunk.transport};lr` };
    const header = `Require: replaces\r\nReplaces: ${replaces}`;
    this.#deps.send({ ...order, ...(byName ? {} : own), do: 'invite', id, header, sdp });
    return id;
  }
}
