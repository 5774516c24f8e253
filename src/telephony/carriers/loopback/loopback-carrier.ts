import type { Clock } from '../../../foundation/platform/clock.ts';
import { randomBase62 } from '../../../foundation/platform/ids.ts';
import {
  type CallOrder,
  type Carrier,
  type CarrierCall,
  CarrierError,
  type CarrierNumbers,
  type IncomingCallHandler,
  type LegListener,
} from '../contract.ts';
import type { PendingStreams } from '../streams/index.ts';
import { broughtEnd, crossing } from './far-end.ts';
import {
  type FarEndConnector,
  LoopbackCall,
  type LoopbackExchange,
  type LoopbackParties,
} from './loopback-call.ts';
import { loopbackNumbers } from './numbers.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioSounds } from './scenario-sounds.ts';

export interface LoopbackOptions {
  readonly clock: Clock;
  readonly dock: PendingStreams;
  readonly sounds: ScenarioSounds;
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
const NOBODY_YET: Scenario = { outcome: 'no_answer' };

/** The carrier of this machine. Its numbers answer as their scenarios say, over the protocol of real carriers. */
export class LoopbackCarrier implements Carrier {
  readonly name = 'loopback';
  readonly numbers: CarrierNumbers = loopbackNumbers;
  readonly #options: LoopbackOptions;
  readonly #exchange: LoopbackExchange;
  readonly #calls = new Set<LoopbackCall>();
  #taker: IncomingCallHandler = () => null;

  constructor(options: LoopbackOptions) {
    this.#options = options;
    const { clock, dock, sounds, streamUrl, network, onError } = options;
    this.#exchange = {
      clock,
      dock,
      sounds,
      streamUrl,
      scenarioOf: (number) => network.get(number) ?? null,
      ringHere: (parties, other) => {
        const call = this.#make(parties, {}, other);
        return this.#ring(call, RING_MS) ? call : null;
      },
      failed: onError,
      ended: (call) => this.#calls.delete(call),
    };
  }

  async place({ from, to, ringMs }: CallOrder, listener: LegListener): Promise<CarrierCall> {
    const scenario = this.#options.network.get(to);
    if (scenario === undefined) return this.#placeOwn(from, to, ringMs, listener);
    const call = this.#make({ from, to }, scenario);
    call.dial(listener, ringMs);
    return call;
  }

  #placeOwn(from: string, to: string, ringMs: number, listener: LegListener): LoopbackCall {
    const caller: LoopbackCall = this.#make({ from, to }, NOBODY_YET, {
      meet: () => {
        throw new Error('the called party met the caller');
      },
      over: (end) => callee.left(end),
    });
    const callee: LoopbackCall = this.#make(
      { from, to },
      {},
      {
        meet: (events) => {
          const [ours, theirs] = crossing(
            this.#exchange,
            { callSid: callee.reference, events },
            caller.reference,
          );
          caller.meets(theirs);
          return ours;
        },
        over: (end) => caller.left(end),
      },
    );
    const taken = this.#taker(callee);
    if (taken === null) {
      this.#calls.delete(caller);
      this.#calls.delete(callee);
      throw new CarrierError('refused', `no number ${to} on the loopback network`);
    }
    caller.dial(listener, ringMs);
    callee.ring(taken, ringMs);
    return caller;
  }

  incoming(taker: IncomingCallHandler): void {
    this.#taker = taker;
  }

  callIn({ from, to, scenario, ringMs = RING_MS }: TrialCall): boolean {
    return this.#ring(this.#make({ from, to }, scenario), ringMs);
  }

  /**
   * Starts a call whose client sends the audio. Resolves to the token of its media stream once the call is answered,
   * or to null.
   */
  callInWithSound(parties: Pick<TrialCall, 'from' | 'to'>): Promise<string | null> {
    return new Promise((resolve) => {
      const call = this.#make(
        parties,
        {},
        {
          meet: (events) => broughtEnd(this.#exchange, resolve, events),
          over: () => resolve(null),
        },
      );
      if (!this.#ring(call, RING_MS)) resolve(null);
    });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    for (const call of [...this.#calls]) await call.hangUp();
  }

  #ring(call: LoopbackCall, ringMs: number): boolean {
    const listener = this.#taker(call);
    if (listener === null) this.#calls.delete(call);
    else call.ring(listener, ringMs);
    return listener !== null;
  }

  #make(
    parties: Omit<LoopbackParties, 'reference'>,
    scenario: Scenario,
    other?: FarEndConnector,
  ): LoopbackCall {
    const reference = `CA${randomBase62(32)}`;
    const call = new LoopbackCall(this.#exchange, { reference, ...parties }, scenario, other);
    this.#calls.add(call);
    return call;
  }
}
