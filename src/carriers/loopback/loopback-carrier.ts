import type { Clock } from '../../platform/clock.ts';
import { randomBase62 } from '../../platform/ids.ts';
import {
  type CallOrder,
  type Carrier,
  type CarrierCall,
  CarrierFault,
  type CarrierNumbers,
  type IncomingTaker,
  type LegListener,
} from '../door.ts';
import type { StreamDock } from '../streams/index.ts';
import { type Answered, type Exchange, LoopbackCall } from './loopback-call.ts';
import { loopbackNumbers } from './numbers.ts';
import type { Scenario } from './scenario.ts';
import type { Sounds } from './sounds.ts';

export interface LoopbackOptions {
  readonly clock: Clock;
  readonly dock: StreamDock;
  readonly sounds: Sounds;
  /** Where this server takes the network's media streams, once it listens. */
  readonly streamUrl: () => string;
  readonly network: ReadonlyMap<string, Scenario>;
  readonly onError: (error: unknown) => void;
}

export interface TrialCall {
  readonly from: string;
  readonly to: string;
  readonly scenario: Scenario;
  readonly ringMs?: number;
}

const RING_MS = 30_000;

/** The carrier of this machine: its numbers answer as their scenarios say, over the protocol that real carriers speak. */
export class LoopbackCarrier implements Carrier {
  readonly name = 'loopback';
  readonly numbers: CarrierNumbers = loopbackNumbers;
  readonly #options: LoopbackOptions;
  readonly #exchange: Exchange;
  readonly #calls = new Set<LoopbackCall>();
  #taker: IncomingTaker = () => null;

  constructor(options: LoopbackOptions) {
    this.#options = options;
    const { clock, dock, sounds, streamUrl, network, onError } = options;
    this.#exchange = {
      clock,
      dock,
      sounds,
      streamUrl,
      scenarioOf: (number) => network.get(number) ?? null,
      failed: onError,
      ended: (call) => this.#calls.delete(call),
    };
  }

  async place({ from, to, ringMs }: CallOrder, listener: LegListener): Promise<CarrierCall> {
    const scenario = this.#options.network.get(to);
    if (scenario === undefined) {
      throw new CarrierFault('refused', `nobody has ${to} on the loopback network`);
    }
    const call = this.#make(from, to, scenario);
    call.dial(listener, ringMs);
    return call;
  }

  incoming(taker: IncomingTaker): void {
    this.#taker = taker;
  }

  /** Somebody on the network calls a number of this server. False: nobody here has it. */
  callIn({ from, to, scenario, ringMs = RING_MS }: TrialCall): boolean {
    const call = this.#make(from, to, scenario);
    const listener = this.#taker(call);
    if (listener === null) {
      this.#calls.delete(call);
      return false;
    }
    call.ring(listener, ringMs);
    return true;
  }

  /** Somebody calls a number of this server and brings the sound: the token for its stream, once it is answered; null: it is not. */
  callInWithSound(parties: Pick<TrialCall, 'from' | 'to'>): Promise<string | null> {
    return new Promise((resolve) => {
      const call = this.#make(parties.from, parties.to, {}, resolve);
      const listener = this.#taker(call);
      if (listener !== null) return call.ring(listener, RING_MS);
      this.#calls.delete(call);
      resolve(null);
    });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    for (const call of [...this.#calls]) await call.hangUp();
  }

  #make(from: string, to: string, scenario: Scenario, answered?: Answered): LoopbackCall {
    const reference = `CA${randomBase62(32)}`;
    const call = new LoopbackCall(this.#exchange, { reference, from, to }, scenario, answered);
    this.#calls.add(call);
    return call;
  }
}
