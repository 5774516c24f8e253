import type { CaptureKind } from '../../language/capture/index.ts';
import type { Session, ToolDispatcher, VoiceLane } from '../session/index.ts';
import type { CallAgent } from './call-agent.ts';

type ClientToolAnswer = Parameters<ToolDispatcher['settle']>[1];

/** A client can do these while a call is live, beside speaking. */
export class CallControls {
  readonly #session: Session;
  readonly #dispatcher: ToolDispatcher;
  readonly #agent: CallAgent;
  readonly #servedMs: () => number;
  /** The lane, for a carrier whose sound is joined with it inside the engine. */
  readonly laneRef: () => VoiceLane['ref'] | null;
  readonly #lane: VoiceLane;

  constructor(
    session: Session,
    dispatcher: ToolDispatcher,
    agent: CallAgent,
    servedMs: () => number,
    lane: VoiceLane,
    joined: () => VoiceLane['ref'] | null,
  ) {
    this.laneRef = joined;
    this.#lane = lane;
    this.#session = session;
    this.#dispatcher = dispatcher;
    this.#agent = agent;
    this.#servedMs = servedMs;
  }

  dtmf(digits: string): void {
    this.#session.dtmf(digits, this.#servedMs());
  }

  /** Returns false where the speech queue is full. */
  say(text: string, interrupt: boolean): boolean {
    return this.#session.say(text, { interrupt });
  }

  typedTurn(text: string): void {
    this.#session.input.typedTurn(text, this.#servedMs());
  }

  injectContext(text: string): void {
    this.#session.input.injectContext(text);
  }

  /** The agent speaks now, as these words instruct it. */
  respond(instructions: string): void {
    this.#session.input.respond(instructions);
  }

  injectLateToolResult(name: string, content: string): void {
    this.#session.input.injectLateToolResult(name, content);
  }

  capture(slot: string, kind: CaptureKind, prompt: string | null): void {
    this.#session.input.beginInterlude(this.#agent.capture(slot, kind, prompt));
  }

  /** The line plays by so many milliseconds later than it is sent. */
  setPlayoutDelay(ms: number): void {
    this.#lane.setPlayoutDelay?.(ms);
  }

  interrupt(): void {
    this.#session.interrupt();
  }

  /** The answer of a tool. False: no call of this id waits. */
  settleToolCall(callId: string, answer: ClientToolAnswer): boolean {
    return this.#dispatcher.settle(callId, answer);
  }
}
