import type { AuditActor } from '../../foundation/audit/contract.ts';
import { appendAuditRecord } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { g711 } from '../../media/wire/index.ts';
import type { CallMedia } from './call-media.ts';
import type { AudibleTo, ConferenceParticipant } from './conference-mixer.ts';
import { type Levels, Loudness } from './loudness.ts';
import type { PhoneCall } from './phone-call.ts';

/** Whether the agent `leaves` a call that is taken over, or `listens` in silence. */
export const TAKEN_OVER_AGENTS = ['leaves', 'listens'] as const;
export type TakenOverAgent = (typeof TAKEN_OVER_AGENTS)[number];

/**
 * A supervisor with `listen` is silent, with `whisper` is audible to the call's own side only, with `join` to all,
 * and with `take_over` replaces the agent.
 */
export const SUPERVISIONS = ['listen', 'whisper', 'join', 'take_over'] as const;
export type SupervisionMode = (typeof SUPERVISIONS)[number];

export interface SupervisorsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly giveBack: (call: PhoneCall, line: CallMedia) => Promise<void>;
  readonly listen: (call: PhoneCall, line: CallMedia) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface SupervisorOutlet {
  audio(pcm: Uint8Array): void;
  /** The levels are not measured when the method is absent. */
  levels?(levels: Levels): void;
  ended(): void;
}

const MOST_A_CALL = 4;
const TELLS: Readonly<Record<SupervisionMode, AudibleTo>> = {
  listen: 'nobody',
  whisper: 'part',
  join: 'all',
  take_over: 'all',
};

/**
 * Lets supervisors hear live calls, and help or take them over. Each action is in the audit log before it takes
 * effect.
 */
export class Supervisors {
  readonly #deps: SupervisorsDeps;
  readonly #perCall = new Map<string, Set<Supervisor>>();

  constructor(deps: SupervisorsDeps) {
    this.#deps = deps;
  }

  async begin(
    call: PhoneCall,
    mode: SupervisionMode,
    by: AuditActor,
    outlet: SupervisorOutlet,
    agent: TakenOverAgent = 'leaves',
  ): Promise<Supervisor> {
    checkLimit(this.#perCall.get(call.id));
    await this.audit(call, by, 'telephony.call.supervised', { mode: 'listen' });
    const { line } = call;
    if (line === null) throw notLive();
    const here = this.#perCall.get(call.id) ?? new Set();
    checkLimit(here);
    this.#perCall.set(call.id, here);
    const supervisor: Supervisor = new Supervisor(
      this,
      { call, line, by, outlet, clock: this.#deps.clock },
      () => {
        here.delete(supervisor);
        if (here.size === 0) this.#perCall.delete(call.id);
      },
    );
    here.add(supervisor);
    call.whenOver(() => supervisor.callOver());
    if (mode !== 'listen') await supervisor.change(mode, agent);
    return supervisor;
  }

  /** Gives a text to the call's agent, unheard by the other side. Throws ApiError where no agent has the call. */
  async whisper(call: PhoneCall, text: string, by: AuditActor): Promise<void> {
    await this.audit(call, by, 'telephony.call.whispered', null);
    if (call.line?.handler?.whisper?.(`A supervisor tells you, unheard by the caller: ${text}`) === true)
      return;
    throw new ApiError('call_not_live', 'No agent is on this call now.', { param: 'text' });
  }

  listen(call: PhoneCall, line: CallMedia): void {
    this.#deps.listen(call, line).catch(this.#deps.onError);
  }

  giveBack(call: PhoneCall, line: CallMedia): void {
    this.#deps.giveBack(call, line).catch(this.#deps.onError);
  }

  /** The audit log has the action and never the words. */
  async audit({ id, scope }: PhoneCall, by: AuditActor, action: string, after: object | null): Promise<void> {
    const { storage, clock } = this.#deps;
    await storage.transaction((trx) =>
      appendAuditRecord(trx, clock.now(), {
        orgId: scope.org,
        place: { projectId: scope.project, environment: scope.environment },
        by,
        action,
        target: id,
        before: null,
        after: after as Readonly<Record<string, unknown>> | null,
      }),
    );
  }
}

interface Watched {
  readonly call: PhoneCall;
  readonly line: CallMedia;
  readonly by: AuditActor;
  readonly outlet: SupervisorOutlet;
  readonly clock: Clock;
}

export class Supervisor {
  readonly #supervisors: Supervisors;
  readonly #watched: Watched;
  readonly #left: () => void;
  readonly #seat: ConferenceParticipant;
  #mode: SupervisionMode = 'listen';
  #over = false;

  constructor(supervisors: Supervisors, watched: Watched, left: () => void) {
    this.#supervisors = supervisors;
    this.#watched = watched;
    this.#left = left;
    const { line, outlet, clock } = watched;
    const hear = (frames: Uint8Array) => outlet.audio(g711.decode('pcmu', frames));
    const loudness = outlet.levels && new Loudness(clock, (levels) => outlet.levels?.(levels));
    this.#seat = line.join(
      { hear },
      TELLS.listen,
      loudness && ((side, frames) => loudness.heard(side, frames)),
    );
  }

  get mode(): SupervisionMode {
    return this.#mode;
  }

  /** Throws ApiError where there is no agent or human to whisper to or to take over from. */
  async change(mode: SupervisionMode, agent: TakenOverAgent = 'leaves'): Promise<void> {
    const { call, line, by } = this.#watched;
    if (mode === this.#mode) return;
    this.#check(mode);
    await this.#supervisors.audit(call, by, ACTIONS[mode], {
      mode,
      ...(mode === 'take_over' ? { agent } : {}),
    });
    if (this.#over) return;
    this.#check(mode);
    const before = this.#mode;
    this.#mode = mode;
    // An agent gets a whisper as text: it would take a voice for the caller's.
    this.#seat.audibleTo = mode === 'whisper' && isAgent(line) ? 'nobody' : TELLS[mode];
    if (mode === 'take_over') {
      line.setHandler(null);
      if (agent === 'listens') this.#supervisors.listen(call, line);
    } else if (before === 'take_over') this.#supervisors.giveBack(call, line);
  }

  /** The samples are linear, at 8 kHz; the mode decides who hears them. */
  say(pcm: Buffer): void {
    if (!this.#over) this.#seat.say(g711.encode('pcmu', pcm));
  }

  whisper(text: string): Promise<void> {
    return this.#supervisors.whisper(this.#watched.call, text, this.#watched.by);
  }

  async hangUp(): Promise<void> {
    const { call, by } = this.#watched;
    await this.#supervisors.audit(call, by, 'telephony.call.hung_up', null);
    this.#watched.call.end({ reason: 'completed', detail: 'hung up by a supervisor' });
  }

  /** The supervisor leaves. The agent gets back a call that the supervisor had taken over. */
  leave(): void {
    const { call, line } = this.#watched;
    const had = this.#mode === 'take_over';
    if (!this.#end()) return;
    if (had) this.#supervisors.giveBack(call, line);
  }

  callOver(): void {
    if (this.#end()) this.#watched.outlet.ended();
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#seat.leave();
    this.#left();
    return true;
  }

  #check(mode: SupervisionMode): void {
    const { line } = this.#watched;
    if (mode !== 'take_over' || isAgent(line)) return;
    throw new ApiError('call_not_live', 'No agent is on this call now: use mode join instead.', {
      param: 'mode',
    });
  }
}

const ACTIONS: Readonly<Record<SupervisionMode, string>> = {
  listen: 'telephony.call.listened',
  whisper: 'telephony.call.whispered',
  join: 'telephony.call.joined',
  take_over: 'telephony.call.taken_over',
};

const isAgent = ({ handler: part }: CallMedia): boolean => part?.whisper !== undefined;

const notLive = (): ApiError =>
  new ApiError('call_not_live', 'The call is not answered yet, or has ended.', { param: 'call_id' });

function checkLimit(here: ReadonlySet<Supervisor> | undefined): void {
  if ((here?.size ?? 0) < MOST_A_CALL) return;
  throw new ApiError('concurrency_limit_exceeded', `A call has ${MOST_A_CALL} supervisors at most.`, {
    param: 'call_id',
  });
}
