import type { CaptureKind } from '../../language/capture/index.ts';
import type { Session, ToolDesk, VoiceLane } from '../session/index.ts';
import type { AgentOfCall } from './agent-of-call.ts';

type Answer = Parameters<ToolDesk['settle']>[1];

/** What a caller may do, beside talking, while a call is live. */
export class Steering {
  readonly #session: Session;
  readonly #desk: ToolDesk;
  readonly #agent: AgentOfCall;
  readonly #servedMs: () => number;
  /** The lane, for a carrier whose sound is joined with it inside the engine. */
  readonly joined: () => VoiceLane['ref'] | null;
  readonly #lane: VoiceLane;

  constructor(
    session: Session,
    desk: ToolDesk,
    agent: AgentOfCall,
    servedMs: () => number,
    lane: VoiceLane,
    joined: () => VoiceLane['ref'] | null,
  ) {
    this.joined = joined;
    this.#lane = lane;
    this.#session = session;
    this.#desk = desk;
    this.#agent = agent;
    this.#servedMs = servedMs;
  }

  dtmf(digits: string): void {
    this.#session.dtmf(digits, this.#servedMs());
  }

  /** False: as many words as may wait to be spoken do already. */
  say(text: string, interrupt: boolean): boolean {
    return this.#session.say(text, { interrupt });
  }

  typed(text: string): void {
    this.#session.beside.typed(text, this.#servedMs());
  }

  context(text: string): void {
    this.#session.beside.context(text);
  }

  late(name: string, content: string): void {
    this.#session.beside.late(name, content);
  }

  capture(slot: string, kind: CaptureKind, prompt: string | null): void {
    this.#session.beside.begin(this.#agent.capture(slot, kind, prompt));
  }

  /** The line plays by so many milliseconds later than it is sent. */
  lag(ms: number): void {
    this.#lane.lag?.(ms);
  }

  interrupt(): void {
    this.#session.interrupt();
  }

  /** The answer of a tool. False: no call of this id waits. */
  settle(callId: string, answer: Answer): boolean {
    return this.#desk.settle(callId, answer);
  }
}
