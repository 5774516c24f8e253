import type { Access, Principal } from '../access/contract.ts';
import { reachOf } from '../access/index.ts';
import type { Carrier, IncomingCall, LegListener } from '../carriers/index.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../storage/index.ts';
import type { TelephonyCallRow, TelephonyNumberRow } from '../storage/tables/telephony.ts';
import { AgentPlan, type AgentPlanDeps } from './agent-plan.ts';
import type { CallRecords } from './call-records.ts';
import type { CallRequest } from './contract.ts';
import { type NumberSettings, readSettings } from './number-settings.ts';
import type { NumberDesk } from './numbers.ts';
import type { PhoneCall, PhoneOrder } from './phone-call.ts';
import type { AskRoute, RouteAnswer } from './route-url.ts';

export interface ReceptionDeps {
  readonly storage: Storage;
  readonly log: Log;
  readonly access: Pick<Access, 'admit'>;
  readonly carrier: Carrier;
  readonly records: CallRecords;
  readonly numbers: NumberDesk;
  readonly agents: AgentPlanDeps;
  readonly askRoute: AskRoute;
  readonly principalOf: (keyId: string) => Promise<Principal | null>;
  readonly phone: (order: PhoneOrder) => PhoneCall;
  readonly failed: (principal: Principal, id: string, code: string) => Promise<void>;
}

const MAX_DURATION_MS = 3_600_000;

/** What becomes of a call that comes in. */
interface Way {
  readonly agentId: string | null;
  readonly settings: NumberSettings;
  readonly request: CallRequest;
  /** The settings' fall-back is what is wanted. */
  readonly direct: boolean;
}

/** Where calls come in: whose number it is, and where it leads. */
export class Reception {
  readonly #deps: ReceptionDeps;

  constructor(deps: ReceptionDeps) {
    this.#deps = deps;
  }

  /** The leg rings until it is known whose number it is, and where it leads. */
  take(incoming: IncomingCall): LegListener {
    let call: PhoneCall | null = null;
    let over = false;
    this.#screen(incoming, () => over)
      .then((made) => {
        call = made;
      })
      .catch((err: unknown) => {
        this.#deps.log.error({ err }, 'a call that came in could not be taken');
        void incoming.reject('busy');
      });
    return {
      state: (state) => {
        over = state.kind === 'ended';
        call?.state(state);
      },
      key: (digit) => call?.key(digit),
      held: (on) => call?.held(on),
    };
  }

  async #screen(incoming: IncomingCall, isOver: () => boolean): Promise<PhoneCall | null> {
    const { numbers, principalOf } = this.#deps;
    const number = await numbers.called(incoming.to);
    const principal = number?.key_id ? await principalOf(number.key_id) : null;
    if (number === null || principal === null) {
      await incoming.reject('rejected');
      return null;
    }
    const id = newId('tcl');
    const way = await this.#way(number, principal, incoming, id);
    if (way === null) {
      await incoming.reject('rejected');
      return null;
    }
    return await this.#follow(incoming, principal, number, { id, way, isOver });
  }

  /** Null: nobody takes it. */
  async #way(
    number: TelephonyNumberRow,
    principal: Principal,
    { from, to }: IncomingCall,
    id: string,
  ): Promise<Way | null> {
    const settings = readSettings(number.settings);
    const { route } = settings;
    const request: CallRequest = { webhook_url: settings.webhook_url };
    const own = { agentId: number.agent_id, settings, request, direct: false };
    const otherwise = number.agent_id === null ? null : own;
    if (route.kind === 'agent') return otherwise;
    if (route.kind === 'forward') return forward(own, route.to ?? '');
    if (route.kind === 'voicemail') return voicemail(own);
    const answer = await this.#deps.askRoute(reachOf(principal), route.url ?? '', {
      event: 'telephony.call.incoming',
      call_id: id,
      number_id: number.id,
      from,
      to,
    });
    if (answer !== null) return answeredWay(own, answer);
    // The URL told nothing: the number's own agent, or else its fall-back.
    return otherwise ?? (settings.fallback.kind === 'reject' ? null : { ...own, direct: true });
  }

  async #follow(
    incoming: IncomingCall,
    principal: Principal,
    number: TelephonyNumberRow,
    { id, way, isOver }: { id: string; way: Way; isOver: () => boolean },
  ): Promise<PhoneCall | null> {
    const { access, agents } = this.#deps;
    const row = await this.#record(incoming, principal, number, id, way);
    const { agentId, request, settings, direct } = way;
    const order = { agentId, direction: 'inbound' as const, number: incoming.from, direct };
    const plan = new AgentPlan(agents, { ...order, request, settings });
    try {
      const admission = await access.admit(principal, 'telephony.call', {
        realtime: false,
        resource: row.id,
      });
      const maxDurationMs = MAX_DURATION_MS;
      const recordsOn = settings.record_after_transfer;
      const call = this.#deps.phone({ id, principal, admission, plan, maxDurationMs, recordsOn });
      call.follow(Promise.resolve(incoming));
      if (isOver()) call.state(incoming.state);
      else setImmediate(() => void incoming.answer());
      return call;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.#deps.failed(principal, row.id, error.code);
      await incoming.reject('busy');
      return null;
    }
  }

  #record(
    { from, to }: IncomingCall,
    principal: Principal,
    number: TelephonyNumberRow,
    id: string,
    { agentId, request }: Way,
  ): Promise<TelephonyCallRow> {
    const { storage, records, carrier } = this.#deps;
    return storage.transaction((trx) =>
      records.create(trx, reachOf(principal), {
        id,
        key_id: principal.keyId,
        carrier: carrier.name,
        direction: 'inbound',
        from_number: from,
        to_number: to,
        number_id: number.id,
        agent_id: agentId,
        campaign_id: null,
        state: 'ringing',
        request: JSON.stringify(request),
        scheduled_at: null,
      }),
    );
  }
}

const forward = (own: Way, to: string): Way => ({
  ...own,
  direct: true,
  settings: { ...own.settings, fallback: { kind: 'transfer', to } },
});

const voicemail = (own: Way): Way => ({
  ...own,
  direct: true,
  settings: { ...own.settings, fallback: { kind: 'voicemail' } },
});

function answeredWay(own: Way, answer: RouteAnswer): Way | null {
  switch (answer.action) {
    case 'reject':
      return null;
    case 'forward':
      return forward(own, answer.to);
    case 'voicemail':
      return voicemail(own);
    case 'message':
      return {
        ...own,
        direct: true,
        settings: { ...own.settings, fallback: { kind: 'message', text: answer.text } },
      };
    case 'agent': {
      const agentId = answer.agent_id ?? own.agentId;
      if (agentId === null) return null;
      return { ...own, agentId, request: { ...own.request, variables: answer.variables ?? {} } };
    }
  }
}
