import { CarrierTransport, type SimulatedCaller } from '../caller/index.ts';
import { type CallReport, reportFromRecord } from './call-report.ts';
import type { Mocks } from './mock-answers.ts';
import { MockHooks } from './mock-hooks.ts';
import type { CallRecord, ServerApi } from './server-api.ts';
import { SuiteError } from './suite.ts';

interface Trial {
  readonly stream?: { readonly path: string; readonly leg: string };
}

interface PhoneCall {
  readonly to: string;
  readonly state: string;
  readonly end_detail: string | null;
  readonly omni_call_id: string | null;
}

const TRANSFERRED = 'transferred to ';
const STEP_MS = 100;
const WAITS = 100;

interface Taken {
  readonly id: string;
  readonly number: string;
  readonly hooks: MockHooks | null;
}

export class PhoneLine {
  readonly #api: ServerApi;
  readonly #id: string;
  readonly #number: string;
  readonly #hooks: MockHooks | null;

  private constructor(api: ServerApi, { id, number, hooks }: Taken) {
    this.#api = api;
    this.#id = id;
    this.#number = number;
    this.#hooks = hooks;
  }

  static async take(api: ServerApi, agentId: string, mocks?: Mocks): Promise<PhoneLine> {
    if (agentId.includes('@')) throw new SuiteError('an agent version cannot be selected by phone number');
    const hooks = mocks === undefined ? null : await MockHooks.give(api, agentId, mocks);
    try {
      return new PhoneLine(api, { ...(await numberFor(api, agentId)), hooks });
    } catch (error) {
      await hooks?.takeBack();
      throw error;
    }
  }

  async giveBack(): Promise<void> {
    try {
      await this.#hooks?.takeBack();
    } finally {
      await this.#api.lasting.send('DELETE', `/v1/telephony/numbers/${this.#id}`);
    }
  }

  wire(): CarrierTransport {
    this.#hooks?.renew();
    return new CarrierTransport(async () => {
      const body = { to: this.#number, brings_sound: true };
      const { stream } = await this.#api.send<Trial>('POST', '/v1/telephony/trial-calls', body);
      if (stream === undefined) throw new Error(`no answer at ${this.#number}`);
      const url = `${this.#api.url.replace(/^http/, 'ws')}${stream.path}`;
      return { url, parameters: { leg: stream.leg } };
    });
  }

  async account(caller: SimulatedCaller): Promise<CallReport> {
    const call = await this.#newest();
    const record: CallRecord | null =
      call?.omni_call_id == null ? null : await this.#api.record(call.omni_call_id);
    const account = reportFromRecord(caller, record);
    // A transferred call ended as transferred; the record of the agent's part does not show it.
    return call?.end_detail?.startsWith(TRANSFERRED) ? { ...account, outcome: 'transferred' } : account;
  }

  async #newest(): Promise<PhoneCall | null> {
    for (let tries = 0; tries < WAITS; tries++) {
      const { data } = await this.#api.send<{ data: PhoneCall[] }>('GET', '/v1/telephony/calls?limit=100');
      const call = data.find(({ to }) => to === this.#number);
      if (call?.state === 'ended') return call;
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    return null;
  }
}

const AVAILABLE = '/v1/telephony/available-numbers?country=US&limit=100';

async function numberFor(api: ServerApi, agentId: string): Promise<{ id: string; number: string }> {
  const free = await api.send<{ data: { phone_number: string }[] }>('GET', AVAILABLE);
  let fault = new Error('the loopback carrier has no number');
  for (const { phone_number } of free.data) {
    try {
      const body = { phone_number, agent_id: agentId };
      const { id } = await api.lasting.send<{ id: string }>('POST', '/v1/telephony/numbers', body);
      return { id, number: phone_number };
    } catch (error) {
      fault = error as Error;
      // The number is taken or was recently released, so the loop tries the next one.
      if (!/: 409 /.test(fault.message)) break;
    }
  }
  throw fault;
}
