import { callIdOf, LiveCall, type LiveCallDeps } from '../../conversation/calls/index.ts';
import {
  type AccessService,
  type Admission,
  type ImpliedPrincipals,
  type Principal,
  type TenantScope,
  tenantScopeOf,
  tenantScopeOfRow,
} from '../../foundation/access/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { FINAL_WRITES_TIMEOUT_MS, RecordWriter } from '../../foundation/platform/record-writer.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { MsgappCallRow, MsgappNumberRow } from '../../foundation/storage/tables/msgapp.ts';
import type { Peer, WebRtcService } from '../webrtc/index.ts';
import { CallEventRelay, type ProviderCallEvent } from './call-event-relay.ts';
import type { CallPermissions } from './call-permissions.ts';
import { callTransportOf } from './call-transport.ts';
import { MsgappConnection } from './connection.ts';
import { EarlyEvents } from './early-events.ts';
import type { CallEndReason, InTransaction, MsgappCallStore } from './msgapp-call-store.ts';
import type { MsgappNumbers } from './numbers.ts';
import type { CallAction, MsgappProvider } from './provider.ts';
import { ProviderFault } from './provider.ts';
import { callingDisabled, gone, noPermission } from './refusals.ts';
import { retryUntilAccepted } from './retry-until-accepted.ts';
import type { ProviderEvent } from './webhook.ts';

export interface MsgappCallsDeps extends LiveCallDeps {
  readonly access: Pick<AccessService, 'admit'>;
  readonly webrtc: WebRtcService;
  readonly storage: Pick<Storage, 'notify' | 'listen'>;
  readonly numbers: MsgappNumbers;
  readonly records: MsgappCallStore;
  readonly permissions: CallPermissions;
  readonly provider: MsgappProvider;
  readonly suppressed: (scope: TenantScope, phoneNumber: string) => Promise<boolean>;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
}

const RING_MS = 60_000;
/** While the phone rings, a short outage of the provider costs no call. */
const WHILE_RINGING = [1_000, 3_000] as const;
/** The waits delay no caller. After the last of them the provider ends the call by itself. */
const AT_THE_END = [1_000, 5_000, 15_000, 60_000] as const;

interface ActiveCall {
  readonly id: string;
  readonly scope: TenantScope;
  readonly row: MsgappNumberRow;
  readonly providerCallId: string;
  readonly outbound: boolean;
  readonly person: string;
  readonly principal: Principal;
  readonly admission: Admission;
  readonly connection: MsgappConnection;
  readonly peer: Peer;
  readonly writer: RecordWriter;
  call: LiveCall | null;
  over: boolean;
  stopRinging(): void;
}

type EventOf<K extends ProviderEvent['kind']> = Extract<ProviderEvent, { kind: K }>;

export class MsgappCalls {
  readonly #deps: MsgappCallsDeps;
  readonly #going = new Map<string, ActiveCall>();
  readonly #unwritten = new Set<Promise<void>>();
  readonly #early = new EarlyEvents();
  readonly #others: CallEventRelay;
  #stopping = false;

  constructor(deps: MsgappCallsDeps) {
    this.#deps = deps;
    this.#others = new CallEventRelay(deps.storage, (numberId, event) => void this.#brought(numberId, event));
  }

  /** Handles one event of a number. Events may repeat and arrive in any order. */
  async take(row: MsgappNumberRow, event: ProviderEvent): Promise<void> {
    if (event.kind === 'permission') {
      const scope = tenantScopeOfRow(row);
      await this.#deps.permissions.replied(scope, row.id, plus(event.from), event);
      return;
    }
    const going = this.#going.get(keyOf(row.id, event.callId));
    if (going !== undefined) await this.#ofCall(going, event);
    else if (event.kind === 'connect' && event.direction === 'inbound') await this.#incoming(row, event);
    else await this.#unknown(row, event);
  }

  async place(
    caller: Principal,
    row: MsgappNumberRow,
    to: string,
    inTransaction?: InTransaction,
  ): Promise<string> {
    const { access, webrtc, permissions, numbers, provider, records, suppressed, standings } = this.#deps;
    const scope = tenantScopeOf(caller);
    if (row.calling_enabled === 0) throw callingDisabled();
    if (await suppressed(scope, to))
      throw new ApiError('call_not_permitted', 'the number is on the do-not-call list', { param: 'to' });
    if ((await permissions.of(scope, row.id, to)).status !== 'granted') throw noPermission();
    await permissions.mayCall(scope, row.id, to);
    if (row.agent_id === null)
      throw new ApiError('invalid_request', 'the number has no agent: assign one', { param: 'number_id' });
    const principal = await standings.of(scope, caller.keyId);
    if (principal === null) throw gone();
    const admission = await access.admit(principal, 'omni.call', { realtime: true });
    const connection = new MsgappConnection();
    let providerCallId: string | null = null;
    try {
      const { peer, sdp } = await webrtc.offer(connection, RING_MS + 15_000);
      connection.peer = peer;
      providerCallId = await provider.connect(numbers.accountOf(row), to.slice(1), sdp);
      const parties = { from_number: row.phone_number, to_number: to, agent_id: row.agent_id };
      const key = keyOf(row.id, providerCallId);
      const call = { number_id: row.id, provider_call_id: providerCallId, ...parties } as const;
      const id = await records.begin(scope, { ...call, direction: 'outbound' }, inTransaction);
      if (id === null) throw new ProviderFault(200, null, 'the provider returned the ID of an earlier call');
      const stopRinging = this.#deps.clock.after(RING_MS, () => {
        const going = this.#going.get(key);
        if (going?.call === null) void this.#end(going, 'no_answer', null, 'terminate');
      });
      const base = {
        id,
        scope,
        row,
        providerCallId,
        outbound: true,
        person: to,
        principal,
        admission,
      };
      const writer = this.#writerOf(id);
      await this.#follow({ ...base, connection, peer, writer, call: null, over: false, stopRinging });
      return id;
    } catch (error) {
      connection.peer?.close();
      void admission.release();
      if (error instanceof ProviderFault && error.noPermission) {
        await permissions.revoke(scope, row.id, to);
        throw noPermission();
      }
      // The person's phone rings already. An ID that the provider gave twice is that of another call.
      if (providerCallId !== null && !(error instanceof ProviderFault))
        void this.#act(row, { callId: providerCallId, action: 'terminate' });
      throw error;
    }
  }

  /** A call on another node is ended through the provider, whose event reaches that node. */
  async hangUp(row: MsgappNumberRow, call: MsgappCallRow): Promise<void> {
    const going = this.#going.get(keyOf(row.id, call.provider_call_id));
    if (going === undefined) await this.#act(row, { callId: call.provider_call_id, action: 'terminate' });
    else {
      await this.#end(going, going.call === null ? 'canceled' : 'completed', null, 'terminate');
      await going.writer.written;
    }
  }

  get live(): readonly string[] {
    return [...this.#going.values()].map(({ id }) => callIdOf(id));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#others.stop();
    const going = [...this.#going.values()];
    await Promise.all(going.map((one) => this.#end(one, 'failed', 'the server ended', 'terminate')));
    await this.#lastWrites();
  }

  async #brought(numberId: string, event: ProviderCallEvent): Promise<void> {
    const going = this.#going.get(keyOf(numberId, event.callId));
    try {
      if (going === undefined) this.#early.add(numberId, event);
      else await this.#ofCall(going, event);
    } catch (err) {
      this.#deps.log.error({ err, number: numberId }, 'an event relayed to another node was lost');
    }
  }

  async #ofCall(going: ActiveCall, event: ProviderCallEvent): Promise<void> {
    if (event.kind !== 'connect') await this.#changed(going, event);
    else if (going.outbound && !going.over && event.sdpType === 'answer') going.peer.answered(event.sdp);
  }

  async #incoming(row: MsgappNumberRow, event: EventOf<'connect'>): Promise<void> {
    const { records, standings } = this.#deps;
    const scope = tenantScopeOfRow(row);
    const id = await records.begin(scope, this.#rowOf(row, event, 'inbound'));
    if (id === null) return;
    try {
      const principal = await standings.of(scope);
      if (principal === null) throw gone();
      if (row.agent_id === null) throw new ApiError('not_found', 'the number has no agent');
      if (row.calling_enabled === 0) throw new ApiError('forbidden', 'calling is not enabled');
      await this.#answer({ id, scope, row, principal, event });
    } catch (error) {
      const refused = error instanceof ApiError && error.code !== 'invalid_request';
      const message = (error as Error).message.slice(0, 300);
      this.#writeEnd(this.#writerOf(id), scope, id, refused ? 'refused' : 'failed', message);
      await this.#act(row, { callId: event.callId, action: 'reject' });
    }
  }

  async #answer(asked: {
    id: string;
    scope: TenantScope;
    row: MsgappNumberRow;
    principal: Principal;
    event: EventOf<'connect'>;
  }): Promise<void> {
    const { access, webrtc, numbers, provider, clock } = this.#deps;
    const { id, scope, row, principal, event } = asked;
    const admission = await access.admit(principal, 'omni.call', { realtime: true });
    const connection = new MsgappConnection();
    try {
      const { peer, sdp } = await webrtc.answer(event.sdp, connection);
      connection.peer = peer;
      const account = numbers.accountOf(row);
      const notify = (action: 'pre_accept' | 'accept') =>
        retryUntilAccepted(
          clock,
          () => provider.act(account, { callId: event.callId, action, sdp }),
          WHILE_RINGING,
        );
      const known = {
        id,
        scope,
        row,
        providerCallId: event.callId,
        outbound: false,
        person: plus(event.from),
      };
      const going = {
        ...known,
        principal,
        admission,
        connection,
        peer,
        writer: this.#writerOf(id),
        call: null,
        over: false,
        stopRinging() {},
      };
      await this.#follow(going);
      // `pre_accept` connects the media while the phone still rings.
      await notify('pre_accept');
      if (!(await connection.up)) return;
      await notify('accept');
      await this.#begin(going);
    } catch (error) {
      connection.peer?.close();
      void admission.release();
      this.#going.delete(keyOf(row.id, event.callId));
      throw error;
    }
  }

  /** Routes events to the call from now on, after the events that arrived early. */
  async #follow(going: ActiveCall): Promise<void> {
    const key = keyOf(going.row.id, going.providerCallId);
    this.#going.set(key, going);
    void going.connection.gone.then(() =>
      this.#end(going, going.call === null ? 'failed' : 'completed', null, 'terminate'),
    );
    for (const event of this.#early.take(going.row.id, going.providerCallId))
      await this.take(going.row, event);
  }

  async #changed(going: ActiveCall, event: EventOf<'terminate' | 'status'>): Promise<void> {
    if (event.kind === 'terminate') {
      const unanswered = going.outbound && going.call === null ? 'no_answer' : 'failed';
      await this.#end(
        going,
        event.completed && going.call !== null ? 'completed' : unanswered,
        event.error,
        null,
      );
    } else if (event.status === 'rejected') await this.#end(going, 'rejected', null, null);
    else if (event.status === 'accepted' && going.outbound && (await going.connection.up))
      await this.#begin(going);
  }

  async #unknown(row: MsgappNumberRow, event: ProviderCallEvent): Promise<void> {
    await this.#others.publish(row.id, event);
    if (event.kind !== 'terminate' || event.direction === 'outbound') {
      this.#early.add(row.id, event);
      return;
    }
    const { records } = this.#deps;
    const scope = tenantScopeOfRow(row);
    const id = await records.begin(scope, this.#rowOf(row, event, 'inbound'));
    const known = id ?? (await records.find(scope, row.id, event.callId))?.id;
    if (known !== undefined)
      await records.end(scope, known, event.completed ? 'completed' : 'failed', event.error);
  }

  async #begin(going: ActiveCall): Promise<void> {
    if (going.over || going.call !== null) return;
    going.stopRinging();
    const { id, scope, row, principal, admission, connection, person, writer } = going;
    const { records, permissions } = this.#deps;
    // The agent's session has the id of the call.
    const callId = callIdOf(id);
    const over = () => void this.#end(going, 'completed', null, 'terminate');
    const { rate } = connection;
    const caller = {
      callId,
      partOf: callId,
      principal,
      admission,
      rate,
      sessionLabel: row.agent_id,
    } as const;
    const call: LiveCall = new LiveCall(
      this.#deps,
      caller,
      callTransportOf(going.peer, over, () => going.peer.join(call.controls?.laneRef() ?? null)),
    );
    going.call = call;
    connection.call = call;
    going.call.configure({ type: 'configure', meta: { external_id: person } });
    const at = records.now();
    void writer.write(() => records.answered(scope, id, callId, at));
    if (going.outbound) void writer.write(() => permissions.called(scope, row.id, person, true));
    await writer.written;
  }

  async #end(
    going: ActiveCall,
    reason: CallEndReason,
    error: string | null,
    notify: 'terminate' | null,
  ): Promise<void> {
    if (going.over) return;
    going.over = true;
    const { id, scope, row, providerCallId, call, admission, peer, outbound, person, writer } = going;
    going.stopRinging();
    this.#going.delete(keyOf(row.id, providerCallId));
    if (call === null) void admission.release();
    else call.end('client_gone');
    peer.close();
    this.#writeEnd(writer, scope, id, reason, error);
    if (outbound && call === null)
      void writer.write(() => this.#deps.permissions.called(scope, row.id, person, false));
    if (notify !== null) await this.#act(row, { callId: providerCallId, action: notify });
  }

  #writerOf(id: string): RecordWriter {
    const { clock, log } = this.#deps;
    return new RecordWriter(clock, (err) =>
      log.error({ err, call: id }, 'a call by a messaging app could not be recorded at once'),
    );
  }

  /** The provider is told of the end whether or not the database takes it. */
  #writeEnd(
    writer: RecordWriter,
    scope: TenantScope,
    id: string,
    reason: CallEndReason,
    error: string | null,
  ): void {
    const { records } = this.#deps;
    const at = records.now();
    const written = writer.end(() => records.end(scope, id, reason, error, at));
    this.#unwritten.add(written);
    void written.then(() => this.#unwritten.delete(written));
  }

  async #lastWrites(): Promise<void> {
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(FINAL_WRITES_TIMEOUT_MS, resolve);
    });
    await Promise.race([Promise.all(this.#unwritten), late]);
    cancel();
  }

  /** No call waits for this: the retries run in the background, and a refusal is logged. */
  async #act(row: MsgappNumberRow, action: CallAction): Promise<void> {
    const { numbers, provider, log, clock } = this.#deps;
    const account = numbers.accountOf(row);
    const waits = this.#stopping ? [] : AT_THE_END;
    await retryUntilAccepted(clock, () => provider.act(account, action), waits).catch((err: unknown) =>
      log.warn({ err, number: row.id, action: action.action }, 'the messaging provider rejected a command'),
    );
  }

  #rowOf(row: MsgappNumberRow, { callId, from }: { callId: string; from: string }, direction: 'inbound') {
    const { id, phone_number, agent_id } = row;
    const numbers = { from_number: plus(from), to_number: phone_number };
    return { number_id: id, provider_call_id: callId, direction, ...numbers, agent_id };
  }
}

const keyOf = (numberId: string, providerCallId: string): string => `${numberId} ${providerCallId}`;

/** The provider writes numbers without the plus. */
const plus = (digits: string): string => (digits.startsWith('+') ? digits : `+${digits}`);
