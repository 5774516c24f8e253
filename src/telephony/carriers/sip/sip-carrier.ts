import type { BackgroundTasks, RepeatingTask } from '../../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { type Engine, sipProgram, telephonyLibraries } from '../../../media/engine/index.ts';
import {
  type CallOrder,
  type CallTenant,
  type Carrier,
  type CarrierCall,
  CarrierError,
  type CarrierNumbers,
  type IncomingCallHandler,
  type LegListener,
} from '../contract.ts';
import { AttendedTransfers } from './attended-transfers.ts';
import { type SipEvent, type SipOrder, SipProgram } from './program.ts';
import { type Binding, SipRegistrar, type Telephones } from './registrar.ts';
import { type Registration, Registrations } from './registrations.ts';
import { RtpLeg } from './rtp-leg.ts';
import type { SipSettings } from './settings.ts';
import { SipCall, type SipParties } from './sip-call.ts';
import { type SessionTimes, SipListeners } from './sip-listeners.ts';
import { trunkNumbers } from './trunk-numbers.ts';
import {
  addressTowards,
  allowedNets,
  type FoundTrunk,
  findTrunks,
  hostOf,
  numberIn,
  outgoingId,
  proxyOf,
  telephoneAt,
  trunkFor,
  trunkOf,
  uriAt,
} from './trunks.ts';

export interface SipCarrierOptions {
  readonly settings: SipSettings;
  readonly engine: Pick<Engine, 'open'>;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly registered: (trunk: string, registration: Registration) => void;
  readonly onError: (error: unknown) => void;
  readonly program?: string;
  readonly session?: SessionTimes;
  /** It is null where this server registers no telephones. */
  readonly telephones?: Telephones | null;
}

const FIND_AGAIN_MS = 60_000;
const START_AGAIN_MS = 1_000;
const MOST_CALLS = 10_000;

export class SipCarrier implements Carrier {
  readonly name = 'sip';
  readonly numbers: CarrierNumbers;
  readonly #options: SipCarrierOptions;
  readonly #program: SipProgram;
  readonly #registrations: Registrations;
  readonly #calls = new Map<string, SipCall>();
  readonly #attended: AttendedTransfers;
  readonly #listeners: SipListeners;
  readonly #registrar: SipRegistrar | null;
  #found: readonly FoundTrunk[] = [];
  #taker: IncomingCallHandler = () => null;
  #finding: RepeatingTask | undefined;
  #stopTimer: () => void = () => undefined;
  #stopped = false;

  constructor(options: SipCarrierOptions) {
    this.#options = options;
    this.numbers = trunkNumbers(options.settings.trunks);
    this.#program = new SipProgram(options.program ?? sipProgram, {
      event: (event) => this.#take(event),
      lost: (how) => this.#lost(how),
    });
    const send = (order: SipOrder): void => this.#program.send(order);
    this.#attended = new AttendedTransfers({
      calls: this.#calls,
      send,
      orderTo: (found, to, from) => this.#orderTo(found, to, from),
    });
    const { clock, registered, settings, session = null } = options;
    this.#listeners = new SipListeners(clock, send, settings.tls, session);
    this.#registrations = new Registrations(clock, send, registered);
    const { telephones = null, onError } = options;
    this.#registrar = telephones && new SipRegistrar({ clock, telephones, send, onError });
  }

  incoming(taker: IncomingCallHandler): void {
    this.#taker = taker;
  }

  get registrations(): ReadonlyMap<string, Registration> {
    return this.#registrations.states;
  }

  async start(): Promise<void> {
    const { settings, background } = this.#options;
    this.#found = await findTrunks(settings.trunks);
    await this.#program.start();
    this.#allow();
    for (const listen of settings.listen) await this.#listeners.open(listen);
    for (const found of this.#found)
      if (found.trunk.register) this.#registrations.begin(found, settings.realm);
    const find = () => this.#findAgain();
    this.#finding ??= background.repeat('addresses of SIP trunks', find, { everyMs: FIND_AGAIN_MS });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimer();
    await this.#finding?.stop();
    this.#registrations.stop();
    for (const call of [...this.#calls.values()]) await call.hangUp();
    await this.#program.stop();
    await this.#listeners.close();
  }

  async place(asked: CallOrder, listener: LegListener): Promise<CarrierCall> {
    const { from, to, ringMs, tenant } = asked;
    const binding = tenant === undefined ? null : await this.#telephoneOf(tenant, to);
    if (binding === null && this.#options.telephones?.isAddress(to) === true)
      throw new CarrierError('unreachable', 'no telephone is registered at this SIP address');
    const found = binding === null ? trunkFor(this.#found, from) : telephoneAt(binding);
    const order = this.#orderTo(found, binding?.contact ?? to, from);
    if (order === null || !this.#program.running)
      throw new CarrierError('unreachable', `the trunk ${found.trunk.name} cannot be reached`);
    const id = outgoingId();
    const call = await this.#make(found, { id, reference: id, from, to });
    try {
      await call.dial(listener, ringMs, order);
    } catch (error) {
      this.#calls.delete(id);
      throw new CarrierError(
        'refused',
        `no RTP lane could be opened for the call: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    }
    return call;
  }

  async hasTelephone(tenant: CallTenant, to: string): Promise<boolean> {
    return (await this.#telephoneOf(tenant, to)) !== null;
  }

  /** Returns null where no telephone of the tenant that is registered now has this number or SIP address. */
  async #telephoneOf(tenant: CallTenant, to: string): Promise<Binding | null> {
    const { telephones = null } = this.#options;
    if (telephones === null || this.#registrar === null) return null;
    const id = await telephones.idOf(tenant, to);
    return id === null ? null : this.#registrar.binding(id);
  }

  /** Telephones register from any network; calls still come from the trunks alone. */
  #allow(): void {
    const registrar = this.#registrar === null ? 'off' : 'on';
    this.#program.send({ do: 'allow', nets: allowedNets(this.#found).join(' '), registrar });
  }

  #orderTo(found: FoundTrunk, to: string, from: string): Omit<SipOrder, 'do'> | null {
    const { trunk } = found;
    const proxy = proxyOf(found);
    if (proxy === null) return null;
    return {
      transport: trunk.transport,
      to: uriAt(trunk, to),
      from: `sip:${from}@${this.#options.settings.realm ?? hostOf(trunk)}`,
      proxy,
      user: trunk.username ?? '',
      password: trunk.password ?? '',
    };
  }

  async #make(found: FoundTrunk, parties: SipParties): Promise<SipCall> {
    const { trunk, addresses } = found;
    const { engine, clock, settings } = this.#options;
    const { opus, srtp } = telephonyLibraries();
    const call: SipCall = new SipCall(
      {
        clock,
        abilities: { opus, srtp },
        secure: trunk.transport === 'tls' && srtp,
        address: await addressTowards(addresses[0] ?? '127.0.0.1'),
        networks: () => allowedNets([this.#found.find((one) => one.trunk.name === trunk.name) ?? found]),
        openLeg: (bind, listener) => RtpLeg.open(engine, { bind, ports: settings.ports }, listener),
        send: (order) => this.#program.send(order),
        refers: trunk.refer,
        uriOf: (number) => uriAt(trunk, number),
        follow: (to, replaces, sdp) => this.#attended.follow(call, found, to, replaces, sdp),
        moved: (before, now) => this.#attended.moved(call, before, now),
        dropped: (id) => this.#calls.delete(id),
        ended: ({ id }) => this.#calls.delete(id),
        partner: (one, other) => this.#attended.partner(one, other, trunk),
      },
      parties,
    );
    this.#attended.add(call, found);
    return call;
  }

  #take(event: SipEvent): void {
    if (event.event === 'invite') {
      this.#invited(event).catch((error: unknown) => this.#options.onError(error));
    } else if (this.#listeners.take(event) || this.#registrar?.take(event)) {
      return;
    } else if (event.event === 'failed') {
      this.#options.onError(new Error(`the signalling program: ${event.reason}`));
    } else if (!this.#registrations.take(event, this.#options.settings.realm)) {
      this.#calls.get(event.id ?? '')?.take(event);
    }
  }

  async #invited(event: SipEvent): Promise<void> {
    const { id = '', sdp = '' } = event;
    const found = trunkOf(this.#found, String(event.source));
    const refuse = (status: number) => this.#program.send({ do: 'respond', id, status });
    if (found === null || this.#calls.size >= MOST_CALLS) {
      refuse(found === null ? 403 : 503);
      return;
    }
    if (this.#attended.invited(event, found)) return;
    const from = numberIn(String(event.from));
    const to = numberIn(String(event.to), found.trunk.numbers);
    const call = await this.#make(found, { id, reference: String(event.call_id ?? id), from, to });
    const listener = this.#taker(call);
    if (listener !== null) {
      call.ring(listener, sdp);
      return;
    }
    this.#calls.delete(id);
    refuse(404);
  }

  #lost(how: string): void {
    this.#stopTimer();
    this.#registrations.stop();
    for (const call of [...this.#calls.values()]) call.lost(how);
    if (this.#stopped) return;
    this.#options.onError(new Error(`the signalling program has ended: ${how}`));
    this.#stopTimer = this.#options.clock.after(START_AGAIN_MS, () => {
      this.start().catch((error: Error) => {
        if (this.#program.running) this.#options.onError(error);
        // The machine may be out of processes or files for a while.
        else this.#lost(error.message);
      });
    });
  }

  /** A trunk's name may resolve to other addresses over time. */
  async #findAgain(): Promise<void> {
    const found = await findTrunks(this.#options.settings.trunks);
    if (!this.#program.running) return;
    const before = allowedNets(this.#found).join(' ');
    this.#found = found.map((one) => (one.addresses.length > 0 ? one : (this.#same(one) ?? one)));
    if (allowedNets(this.#found).join(' ') !== before) this.#allow();
  }

  #same({ trunk }: FoundTrunk): FoundTrunk | undefined {
    return this.#found.find((one) => one.trunk.name === trunk.name);
  }
}
