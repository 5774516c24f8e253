import type { SupervisableCall } from '../../../conversation/calls/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import {
  type AudibleTo,
  ConferenceMixer,
  type ConferenceParticipant,
  pcm16At,
  type SupervisedCall,
  type SupervisedMedia,
  type TakenOverAgent,
  ULAW,
} from '../../../telephony/dialling/index.ts';

type Join = SupervisedMedia['join'];
type Guest = Parameters<Join>[0];
type SideListener = NonNullable<Parameters<Join>[2]>;

interface Conference {
  readonly mixer: ConferenceMixer;
  readonly caller: ConferenceParticipant;
  readonly agent: ConferenceParticipant;
  guests: number;
}

const GIVEN_BACK: Readonly<Record<TakenOverAgent, string>> = {
  leaves: 'A supervisor had the call. You did not hear what was said meanwhile.',
  listens:
    'A supervisor had the call. What was said meanwhile is in the conversation, as words of the caller.',
};
const GO_ON =
  'The supervisor has given the call back to you. Say in one short sentence that you are back, and go on.';

/** Makes the supervised calls of Omni's calls: all supervisors of a call share one conference. */
export function omniSupervision(clock: Clock): (call: SupervisableCall) => SupervisedCall {
  const known = new Map<string, OmniCallMedia>();
  return (call) => {
    let media = known.get(call.id);
    if (media === undefined || media.call !== call) {
      const made = new OmniCallMedia(call, clock);
      media = made;
      known.set(call.id, made);
      call.whenOver(() => {
        made.isOver = true;
        if (known.get(call.id) === made) known.delete(call.id);
      });
    }
    const made = media;
    return {
      id: call.id,
      scope: call.scope,
      get media() {
        return made.isOver ? null : made;
      },
      hangUp: () => call.hangUp(),
      whenOver: (then) => call.whenOver(then),
    };
  };
}

class OmniCallMedia implements SupervisedMedia {
  readonly call: SupervisableCall;
  readonly format: SupervisedMedia['format'];
  readonly hasPerson = false;
  isOver = false;
  readonly #clock: Clock;
  readonly #sides = new Set<SideListener>();
  #conference: Conference | null = null;
  #taken: TakenOverAgent | null = null;

  constructor(call: SupervisableCall, clock: Clock) {
    this.call = call;
    this.#clock = clock;
    this.format = call.codec === 'ulaw' ? ULAW : pcm16At(call.rate);
  }

  get hasAgent(): boolean {
    return this.#taken === null;
  }

  join(guest: Guest, audibleTo: AudibleTo, sides?: SideListener): ConferenceParticipant {
    this.#conference ??= this.#begin();
    const conference = this.#conference;
    const seat = conference.mixer.addParticipant(guest, audibleTo);
    const leave = seat.leave.bind(seat);
    if (sides !== undefined) this.#sides.add(sides);
    conference.guests += 1;
    seat.leave = () => {
      seat.leave = () => undefined;
      leave();
      if (sides !== undefined) this.#sides.delete(sides);
      conference.guests -= 1;
      if (conference.guests === 0) this.#end(conference);
    };
    return seat;
  }

  whisper(text: string): boolean {
    return this.hasAgent && this.call.injectContext(text);
  }

  takeOver(agent: TakenOverAgent): void {
    this.#taken = agent;
    this.call.mute(true);
    const seat = this.#conference?.agent;
    seat?.clearQueued();
    if (seat !== undefined) seat.audibleTo = 'nobody';
  }

  giveBack(): void {
    const { call } = this;
    if (this.#taken === null || this.isOver) return;
    call.injectContext(GIVEN_BACK[this.#taken]);
    this.#taken = null;
    if (this.#conference !== null) this.#conference.agent.audibleTo = 'all';
    call.mute(false);
    call.respond(GO_ON);
  }

  #begin(): Conference {
    const { call } = this;
    const mixer = new ConferenceMixer(this.#clock, this.format);
    const caller = mixer.addParticipant({ hear: (audio) => call.toCaller(audio) }, 'all');
    const agent = mixer.addParticipant({ hear: (audio) => this.#toAgent(audio) }, 'all', true);
    call.bridge({
      fromCaller: (audio) => {
        for (const notify of this.#sides) notify('caller', audio);
        caller.say(audio);
      },
      fromAgent: (audio) => {
        for (const notify of this.#sides) notify('agent', audio);
        agent.say(audio);
      },
      interrupted: () => agent.clearQueued(),
    });
    return { mixer, caller, agent, guests: 0 };
  }

  /** Silence in place of what an absent agent must not hear keeps its clock and its recording going. */
  #toAgent(audio: Uint8Array): void {
    const isAway = this.#taken === 'leaves';
    this.call.toAgent(isAway ? new Uint8Array(audio.length).fill(this.format.silence) : audio);
  }

  #end({ caller, agent }: Conference): void {
    caller.leave();
    agent.leave();
    this.#conference = null;
    this.call.bridge(null);
  }
}
