import type { BackgroundTasks, RepeatingTask } from '../../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
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
import { reject } from './markup.ts';
import { TwilioNumbers } from './numbers.ts';
import { type TwilioAccount, TwilioRest } from './rest.ts';
import { isSigned } from './signature.ts';
import { TwilioCall, type TwilioExchange } from './twilio-call.ts';

export interface TwilioOptions {
  readonly clock: Clock;
  readonly dock: PendingStreams;
  readonly account: TwilioAccount;
  readonly baseUrl: () => string;
  /** Leads to this node, so that the stream and the callbacks of a call reach the node that has it. */
  readonly nodeUrl: () => string;
  readonly background: BackgroundTasks;
  readonly onError: (error: unknown) => void;
}

export type Form = Readonly<Record<string, string>>;

export const VOICE_PATH = '/public/telephony/twilio/voice';
export const STATUS_PATH = '/public/telephony/twilio/status';
export const MANAGED_STREAM_PATH = '/v1/telephony/streams/managed';
const EVENTS = ['initiated', 'ringing', 'answered', 'completed'];
const LONGEST_RING_S = 600;
/** Callbacks get lost, so that the status of each call is polled. */
const ASK_EVERY_MS = 10_000;

export class TwilioCarrier implements Carrier {
  readonly name = 'twilio';
  readonly numbers: CarrierNumbers;
  readonly #options: TwilioOptions;
  readonly #rest: TwilioRest;
  readonly #exchange: TwilioExchange;
  readonly #calls = new Map<string, TwilioCall>();
  #taker: IncomingCallHandler = () => null;
  #asking: RepeatingTask | null = null;

  constructor(options: TwilioOptions) {
    this.#options = options;
    const { clock, dock, account, baseUrl, nodeUrl } = options;
    this.#rest = new TwilioRest(account);
    this.numbers = new TwilioNumbers(this.#rest, () => `${baseUrl()}${VOICE_PATH}`);
    this.#exchange = {
      clock,
      dock,
      rest: this.#rest,
      streamUrl: () => `${nodeUrl().replace(/^http/, 'ws')}${MANAGED_STREAM_PATH}`,
      ended: (call) => this.#calls.delete(call.reference),
    };
  }

  async place({ from, to, ringMs }: CallOrder, listener: LegListener): Promise<CarrierCall> {
    const call = new TwilioCall(this.#exchange, { from, to }, listener);
    try {
      const placed = await this.#rest.post('Calls.json', {
        To: to,
        From: from,
        Twiml: call.markup(),
        Timeout: String(Math.min(LONGEST_RING_S, Math.ceil(ringMs / 1000))),
        StatusCallback: `${this.#options.nodeUrl()}${STATUS_PATH}`,
        StatusCallbackMethod: 'POST',
        StatusCallbackEvent: EVENTS,
      });
      call.reference = String(placed.sid);
      if (call.state.kind !== 'ended') this.#calls.set(call.reference, call);
      return call;
    } catch (error) {
      call.onStatus('failed');
      throw error;
    }
  }

  incoming(taker: IncomingCallHandler): void {
    this.#taker = taker;
  }

  isSigned(path: string, form: Form, signature: string): boolean {
    const { account, baseUrl, nodeUrl } = this.#options;
    return [baseUrl(), nodeUrl()].some((url) =>
      isSigned(account.authToken, `${url}${path}`, form, signature),
    );
  }

  status({ CallSid: sid = '', CallStatus: status = '' }: Form): void {
    this.#calls.get(sid)?.onStatus(status);
  }

  /** Handles a call's webhook and resolves with the markup for the carrier. A repeated webhook is the same call. */
  async voice({ CallSid: sid = '', From: from = '', To: to = '' }: Form): Promise<string> {
    if (this.#calls.has(sid)) return reject('busy');
    return await new Promise((respond) => {
      let listener: LegListener | null = null;
      const call = new TwilioCall(
        this.#exchange,
        { from, to },
        {
          state: (state) => listener?.state(state),
          key: (digit) => listener?.key(digit),
        },
      );
      call.rings(sid, respond);
      this.#calls.set(sid, call);
      listener = this.#taker(call);
      if (listener === null) void call.reject('rejected');
    });
  }

  async start(): Promise<void> {
    this.#asking = this.#options.background.repeat('calls at Twilio', () => this.#ask(), {
      everyMs: ASK_EVERY_MS,
    });
  }

  async stop(): Promise<void> {
    void this.#asking?.stop();
    for (const call of [...this.#calls.values()]) {
      await call.hangUp().catch((error: unknown) => {
        if (!(error instanceof CarrierError)) throw error;
        this.#options.onError(error);
      });
    }
  }

  async #ask(): Promise<void> {
    for (const call of [...this.#calls.values()]) {
      const { status } = await this.#rest.get(`Calls/${call.reference}.json`);
      call.onStatus(String(status));
    }
  }
}
