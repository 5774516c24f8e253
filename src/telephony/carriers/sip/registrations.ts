import type { Clock } from '../../../foundation/platform/clock.ts';
import type { SipEvent, SipOrder } from './program.ts';
import { type FoundTrunk, hostOf, proxyOf } from './trunks.ts';

export type Registration =
  | { readonly state: 'registering' }
  | { readonly state: 'registered' }
  | { readonly state: 'failed'; readonly detail: string };

const EXPIRES_S = 300;
const AGAIN_MS = 30_000;
const PREFIX = 'reg-';

export class Registrations {
  readonly #clock: Clock;
  readonly #send: (order: SipOrder) => void;
  readonly #onChange: (trunk: string, registration: Registration) => void;
  readonly #states = new Map<string, Registration>();
  readonly #trunks = new Map<string, FoundTrunk>();
  #stops: (() => void)[] = [];

  constructor(
    clock: Clock,
    send: (order: SipOrder) => void,
    onChange: (trunk: string, registration: Registration) => void,
  ) {
    this.#clock = clock;
    this.#send = send;
    this.#onChange = onChange;
  }

  get states(): ReadonlyMap<string, Registration> {
    return this.#states;
  }

  begin(found: FoundTrunk, realm: string | null): void {
    const { trunk } = found;
    this.#trunks.set(trunk.name, found);
    const proxy = proxyOf(found);
    if (proxy === null) {
      this.#became(trunk.name, { state: 'failed', detail: `the name ${trunk.host} is not found` });
      this.#later(found, realm);
      return;
    }
    this.#states.set(trunk.name, { state: 'registering' });
    this.#send({
      do: 'register',
      id: `${PREFIX}${trunk.name}`,
      transport: trunk.transport,
      registrar: `sip:${hostOf(trunk)}`,
      address: `sip:${trunk.username}@${realm ?? hostOf(trunk)}`,
      proxy,
      user: trunk.username ?? '',
      password: trunk.password ?? '',
      expires: String(EXPIRES_S),
    });
  }

  take(event: SipEvent, realm: string | null): boolean {
    if (event.event !== 'registered' && event.event !== 'register_failed') return false;
    const found = this.#trunks.get((event.id ?? '').slice(PREFIX.length));
    if (found === undefined) return true;
    if (event.event === 'registered') this.#became(found.trunk.name, { state: 'registered' });
    else {
      this.#became(found.trunk.name, { state: 'failed', detail: failureOf(event) });
      this.#later(found, realm);
    }
    return true;
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #later(found: FoundTrunk, realm: string | null): void {
    this.#stops.push(this.#clock.after(AGAIN_MS, () => this.begin(found, realm)));
  }

  #became(trunk: string, registration: Registration): void {
    this.#states.set(trunk, registration);
    this.#onChange(trunk, registration);
  }
}

function failureOf(event: SipEvent): string {
  const { status = 0, phrase = '' } = event;
  const answered = status === 0 ? phrase : `the registrar responded with ${status} ${phrase}`;
  const sent = event.sent ? `; sent: ${event.sent}` : '';
  const expected = event.expected ? `; expected: ${event.expected}` : '';
  const hint =
    (status === 401 || status === 407) && event.expected
      ? '; the password, the username or the realm is wrong'
      : '';
  return `${answered}${sent}${expected}${hint}`;
}
