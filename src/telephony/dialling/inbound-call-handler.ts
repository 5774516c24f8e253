import { callIdOf } from '../../conversation/calls/index.ts';
import type { AccessControl, Principal, TenantScope } from '../../foundation/access/contract.ts';
import { type ImpliedPrincipals, tenantScopeOf, tenantScopeOfRow } from '../../foundation/access/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow, TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import type { Carrier, IncomingCall, LegListener, RejectReason } from '../carriers/index.ts';
import { AgentCallFlow, type AgentCallFlowDeps } from './agent-call-flow.ts';
import { type CallEnding, type CallRequest, failedBy } from './contract.ts';
import { type NumberSettings, readSettings } from './number-settings.ts';
import type { PhoneCall, PhoneCallOrder } from './phone-call.ts';
import type { PhoneNumberService } from './phone-number-service.ts';
import { admitting } from './reservation.ts';
import type { RequestRoute, RouteAnswer } from './route-url.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';

export interface InboundCallHandlerDeps {
  readonly storage: Storage;
  readonly log: Log;
  readonly access: Pick<AccessControl, 'admit'>;
  readonly carrier: Carrier;
  readonly records: TelephonyCallStore;
  readonly numbers: PhoneNumberService;
  readonly agents: AgentCallFlowDeps;
  readonly askRoute: RequestRoute;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
  readonly phone: (order: PhoneCallOrder) => PhoneCall;
  readonly ended: (scope: TenantScope, id: string, ending: CallEnding) => Promise<void>;
}

const MAX_DURATION_MS = 3_600_000;

interface InboundRoute {
  readonly agentId: string | null;
  readonly settings: NumberSettings;
  readonly request: CallRequest;
  readonly direct: boolean;
}

export class InboundCallHandler {
  readonly #deps: InboundCallHandlerDeps;

  constructor(deps: InboundCallHandlerDeps) {
    this.#deps = deps;
  }

  take(incoming: IncomingCall): LegListener {
    let call: PhoneCall | null = null;
    let over = false;
    this.#screen(incoming, () => over)
      .then((made) => {
        call = made;
      })
      .catch((err: unknown) => {
        this.#deps.log.error({ err }, 'an inbound call could not be answered');
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
    const { numbers, standings } = this.#deps;
    const number = await numbers.called(incoming.to);
    const principal = number === null ? null : await standings.of(tenantScopeOfRow(number));
    if (number === null) {
      await incoming.reject('unknown');
      return null;
    }
    const id = newId('tcl');
    if (principal === null)
      return await this.#refuse(incoming, number, id, 'the number’s project was deleted or has expired');
    if (!principal.entitlements.includes('telephony'))
      return await this.#refuse(incoming, number, id, 'not_entitled');
    const way = await this.#way(number, principal, incoming, id);
    if (way === null)
      return await this.#refuse(incoming, number, id, 'the number’s route URL rejected the call');
    if (way === 'unknown') return await this.#refuse(incoming, number, id, 'the number has no agent', way);
    return await this.#follow(incoming, principal, number, { id, way, isOver });
  }

  async #refuse(
    incoming: IncomingCall,
    number: TelephonyNumberRow,
    id: string,
    detail: string,
    reason: RejectReason = 'rejected',
  ): Promise<null> {
    await this.#record(incoming, number, id, { agentId: number.agent_id, request: {} });
    const ending: CallEnding = { reason: 'rejected', detail };
    await Promise.all([this.#deps.ended(tenantScopeOfRow(number), id, ending), incoming.reject(reason)]);
    return null;
  }

  /** Returns null when the route URL rejects the call, and `unknown` when no agent has the number. */
  async #way(
    number: TelephonyNumberRow,
    principal: Principal,
    { from, to }: IncomingCall,
    id: string,
  ): Promise<InboundRoute | 'unknown' | null> {
    const settings = readSettings(number.settings);
    const { route } = settings;
    const request: CallRequest = { webhook_url: settings.webhook_url };
    const own = { agentId: number.agent_id, settings, request, direct: false };
    const otherwise = number.agent_id === null ? 'unknown' : own;
    if (route.kind === 'agent') return otherwise;
    if (route.kind === 'forward') return forward(own, route.to ?? '');
    if (route.kind === 'voicemail') return voicemail(own);
    const answer = await this.#deps.askRoute(tenantScopeOf(principal), route.url ?? '', {
      event: 'telephony.call.incoming',
      call_id: id,
      number_id: number.id,
      from,
      to,
    });
    if (answer !== null) return routeFromAnswer(own, answer);
    // Without a valid answer of the URL the call goes to the number's agent, or else to its fallback.
    if (otherwise !== 'unknown' || settings.fallback.kind === 'reject') return otherwise;
    return { ...own, direct: true };
  }

  async #follow(
    incoming: IncomingCall,
    principal: Principal,
    number: TelephonyNumberRow,
    { id, way, isOver }: { id: string; way: InboundRoute; isOver: () => boolean },
  ): Promise<PhoneCall | null> {
    const { access, agents } = this.#deps;
    const row = await this.#record(incoming, number, id, way);
    const { agentId, request, settings, direct } = way;
    const order = { agentId, direction: 'inbound' as const, number: incoming.from, direct };
    const plan = new AgentCallFlow(agents, { ...order, request, settings });
    try {
      const admission = await access.admit(principal, 'telephony.call', admitting(row.id));
      const maxDurationMs = MAX_DURATION_MS;
      const recordsOn = settings.record_after_transfer;
      const call = this.#deps.phone({
        id,
        callId: row.call_id ?? callIdOf(row.id),
        principal,
        admission,
        plan,
        maxDurationMs,
        recordsOn,
      });
      call.follow(Promise.resolve(incoming));
      if (isOver()) call.state(incoming.state);
      else setImmediate(() => void incoming.answer());
      return call;
    } catch (error) {
      if (!(error instanceof ApiError))
        this.#deps.log.error({ err: error, call: row.id }, 'an inbound call could not be answered');
      const ended = this.#deps.ended(tenantScopeOfRow(number), row.id, failedBy(error));
      await Promise.all([ended, incoming.reject('busy')]);
      return null;
    }
  }

  #record(
    { from, to }: IncomingCall,
    number: TelephonyNumberRow,
    id: string,
    { agentId, request }: Pick<InboundRoute, 'agentId' | 'request'>,
  ): Promise<TelephonyCallRow> {
    const { storage, records, carrier } = this.#deps;
    return storage.transaction((trx) =>
      records.create(trx, tenantScopeOfRow(number), {
        id,
        key_id: null,
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

const forward = (own: InboundRoute, to: string): InboundRoute => ({
  ...own,
  direct: true,
  settings: { ...own.settings, fallback: { kind: 'transfer', to } },
});

const voicemail = (own: InboundRoute): InboundRoute => ({
  ...own,
  direct: true,
  settings: { ...own.settings, fallback: { kind: 'voicemail' } },
});

function routeFromAnswer(own: InboundRoute, answer: RouteAnswer): InboundRoute | null {
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
