import type { TenantScope } from '../../foundation/access/contract.ts';
import type { AuditActor } from '../../foundation/audit/contract.ts';
import { appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { convertAudio } from '../../media/engine/index.ts';
import type { CallMedia, CallSideListener } from './call-media.ts';
import type { AudibleTo, ConferenceListener, ConferenceParticipant } from './conference-mixer.ts';
import type { DenoisedAudio, OpenDenoisedAudio } from './denoised-audio.ts';
import { type Levels, Loudness } from './loudness.ts';
import { type MixerFormat, ULAW } from './mixer-format.ts';
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

/** An answered call, as its supervisors hear it and act on it. */
export interface SupervisedMedia {
  readonly format: MixerFormat;
  /** It is false while a person has the call. */
  readonly hasAgent: boolean;
  /** Says whether a person has the call on its own side, who hears a whisper as a voice. */
  readonly hasPerson: boolean;
  join(guest: ConferenceListener, audibleTo: AudibleTo, sides?: CallSideListener): ConferenceParticipant;
  /** Returns false where there is no agent, or it does not talk yet. */
  whisper(text: string): boolean;
  takeOver(agent: TakenOverAgent): void;
  giveBack(): void;
}

export interface SupervisedCall {
  readonly id: string;
  readonly scope: TenantScope;
  /** It is null until the call is answered, and when it is over. */
  readonly media: SupervisedMedia | null;
  hangUp(): void;
  whenOver(then: () => void): void;
}

export interface SupervisorsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** The actions in the audit log begin with it. */
  readonly actions: 'telephony.call' | 'omni.call';
  readonly denoise: OpenDenoisedAudio;
}

export interface PhoneSupervisionDeps {
  readonly giveBack: (call: PhoneCall, media: CallMedia) => Promise<void>;
  readonly listen: (call: PhoneCall, media: CallMedia) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export type SupervisePhone = (call: PhoneCall) => SupervisedCall;

export const phoneSupervision =
  ({ giveBack, listen, onError }: PhoneSupervisionDeps): SupervisePhone =>
  (call) => {
    const hasPerson = (media: CallMedia) => media.handler !== null && media.handler.whisper === undefined;
    const supervisedMediaOf = (media: CallMedia): SupervisedMedia => ({
      format: ULAW,
      get hasAgent() {
        return media.handler?.whisper !== undefined;
      },
      get hasPerson() {
        return hasPerson(media);
      },
      join: (guest, audibleTo, sides) => media.join(guest, audibleTo, sides),
      whisper: (text) => media.handler?.whisper?.(text) === true,
      takeOver: (agent) => {
        media.setHandler(null);
        if (agent === 'listens') listen(call, media).catch(onError);
      },
      giveBack: () => {
        // A transfer may have taken the line since.
        if (!hasPerson(media)) giveBack(call, media).catch(onError);
      },
    });
    return {
      id: call.id,
      scope: call.scope,
      get media() {
        return call.media === null ? null : supervisedMediaOf(call.media);
      },
      hangUp: () => call.end({ reason: 'completed', detail: 'hung up by a supervisor' }),
      whenOver: (then) => call.whenOver(then),
    };
  };

export interface SupervisorOutlet {
  /** The audio comes without the noise of the line, where the engine has a lane for it. */
  readonly isDenoised?: boolean;
  audio(pcm: Uint8Array): void;
  /** The levels are not measured when the method is absent. */
  levels?(levels: Levels): void;
  ended(): void;
}

const MOST_A_CALL = 4;
const AUDIBLE_TO: Readonly<Record<SupervisionMode, AudibleTo>> = {
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
    call: SupervisedCall,
    mode: SupervisionMode,
    by: AuditActor,
    outlet: SupervisorOutlet,
    agent: TakenOverAgent = 'leaves',
  ): Promise<Supervisor> {
    checkLimit(this.#perCall.get(call.id));
    await this.audit(call, by, 'supervised', { mode: 'listen' });
    const { media } = call;
    if (media === null) throw notLive();
    const here = this.#perCall.get(call.id) ?? new Set();
    checkLimit(here);
    this.#perCall.set(call.id, here);
    const supervisor: Supervisor = new Supervisor(
      this,
      { call, media, by, outlet, clock: this.#deps.clock, denoise: this.#deps.denoise },
      () => {
        here.delete(supervisor);
        if (here.size === 0) this.#perCall.delete(call.id);
      },
    );
    here.add(supervisor);
    call.whenOver(() => supervisor.callOver());
    try {
      await supervisor.change(mode, agent);
    } catch (error) {
      supervisor.leave();
      throw error;
    }
    return supervisor;
  }

  /** Gives a text to the call's agent, unheard by the other side. Throws ApiError where no agent has the call. */
  async whisper(call: SupervisedCall, text: string, by: AuditActor): Promise<void> {
    await this.audit(call, by, 'whispered', null);
    if (call.media?.whisper(`A supervisor tells you, unheard by the caller: ${text}`) === true) return;
    throw new ApiError('call_not_live', 'No agent is on this call now.', { param: 'text' });
  }

  /** The audit log has the action and never the words. */
  async audit(
    { id, scope }: Pick<SupervisedCall, 'id' | 'scope'>,
    by: AuditActor,
    action: string,
    after: object | null,
  ): Promise<void> {
    const { storage, clock, actions } = this.#deps;
    await storage.transaction((trx) =>
      appendAuditRecord(trx, clock.now(), {
        ...auditScope(scope),
        by,
        action: `${actions}.${action}`,
        target: id,
        before: null,
        after: after as Readonly<Record<string, unknown>> | null,
      }),
    );
  }
}

interface Watched {
  readonly call: SupervisedCall;
  readonly media: SupervisedMedia;
  readonly by: AuditActor;
  readonly outlet: SupervisorOutlet;
  readonly clock: Clock;
  readonly denoise: OpenDenoisedAudio;
}

export class Supervisor {
  readonly #supervisors: Supervisors;
  readonly #watched: Watched;
  readonly #left: () => void;
  readonly #seat: ConferenceParticipant;
  readonly #denoised: DenoisedAudio | null;
  #mode: SupervisionMode = 'listen';
  #over = false;

  constructor(supervisors: Supervisors, watched: Watched, left: () => void) {
    this.#supervisors = supervisors;
    this.#watched = watched;
    this.#left = left;
    const { call, media, outlet, clock, denoise } = watched;
    const { format } = media;
    const hear = (frames: Uint8Array) => outlet.audio(convertAudio(format.wire, frames, 'pcm16'));
    this.#denoised = outlet.isDenoised === true ? denoise(format, call.scope.environment, hear) : null;
    const loudness = outlet.levels && new Loudness(clock, (levels) => outlet.levels?.(levels), format.wire);
    this.#seat = media.join(
      { hear: (frames) => (this.#denoised === null ? hear(frames) : this.#denoised.hear(frames)) },
      AUDIBLE_TO.listen,
      loudness && ((side, frames) => loudness.heard(side, frames)),
    );
  }

  get mode(): SupervisionMode {
    return this.#mode;
  }

  /** Samples per second of what the supervisor hears and says. */
  get rate(): number {
    return this.#watched.media.format.rate;
  }

  /** It is false although the supervisor asked for it where the engine has no lane for it. */
  get isDenoised(): boolean {
    return this.#denoised !== null;
  }

  /** Throws ApiError where there is no agent or human to whisper to or to take over from. */
  async change(mode: SupervisionMode, agent: TakenOverAgent = 'leaves'): Promise<void> {
    const { call, media, by } = this.#watched;
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
    this.#seat.audibleTo = mode === 'whisper' && !media.hasPerson ? 'nobody' : AUDIBLE_TO[mode];
    if (mode === 'take_over') media.takeOver(agent);
    else if (before === 'take_over') media.giveBack();
  }

  /** The samples are linear; the mode decides who hears them. */
  say(pcm: Buffer): void {
    if (!this.#over) this.#seat.say(convertAudio('pcm16', pcm, this.#watched.media.format.wire));
  }

  whisper(text: string): Promise<void> {
    return this.#supervisors.whisper(this.#watched.call, text, this.#watched.by);
  }

  async hangUp(): Promise<void> {
    const { call, by } = this.#watched;
    await this.#supervisors.audit(call, by, 'hung_up', null);
    call.hangUp();
  }

  /** The supervisor leaves. The agent gets back a call that the supervisor had taken over. */
  leave(): void {
    const had = this.#mode === 'take_over';
    if (!this.#end()) return;
    if (had) this.#watched.media.giveBack();
  }

  callOver(): void {
    if (this.#end()) this.#watched.outlet.ended();
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#seat.leave();
    this.#denoised?.close();
    this.#left();
    return true;
  }

  #check(mode: SupervisionMode): void {
    if (mode !== 'take_over' || this.#watched.media.hasAgent) return;
    throw new ApiError('call_not_live', 'No agent is on this call now: use mode join instead.', {
      param: 'mode',
    });
  }
}

const ACTIONS: Readonly<Record<SupervisionMode, string>> = {
  listen: 'listened',
  whisper: 'whispered',
  join: 'joined',
  take_over: 'taken_over',
};

const notLive = (): ApiError =>
  new ApiError('call_not_live', 'The call is not answered yet, or has ended.', { param: 'call_id' });

function checkLimit(here: ReadonlySet<Supervisor> | undefined): void {
  if ((here?.size ?? 0) < MOST_A_CALL) return;
  throw new ApiError('concurrency_limit_exceeded', `A call can have at most ${MOST_A_CALL} supervisors.`, {
    param: 'call_id',
  });
}
