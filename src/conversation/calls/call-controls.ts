import type { Session, ToolDispatcher, VoiceLane } from '../session/index.ts';
import type { CallAgent, CaptureOrder } from './call-agent.ts';

type ClientToolAnswer = Parameters<ToolDispatcher['settle']>[1];

export class CallControls {
  readonly #session: Session;
  readonly #dispatcher: ToolDispatcher;
  readonly #agent: CallAgent;
  readonly #servedMs: () => number;
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

  say(text: string, interrupt: boolean): boolean {
    return this.#session.say(text, { interrupt });
  }

  typedTurn(text: string): void {
    this.#session.input.typedTurn(text, this.#servedMs());
  }

  injectContext(text: string): void {
    this.#session.input.injectContext(text);
  }

  mute(on: boolean): void {
    this.#session.mute(on);
  }

  respond(instructions: string): boolean {
    return this.#session.input.respond(instructions);
  }

  injectLateToolResult(name: string, content: string): void {
    this.#session.input.injectLateToolResult(name, content);
  }

  /** Throws UnusableLookup. */
  capture(order: CaptureOrder): void {
    this.#session.input.beginInterlude(this.#agent.capture(order));
  }

  /** The client plays the agent's audio this many milliseconds after it is sent. */
  setPlayoutDelay(ms: number): void {
    this.#lane.setPlayoutDelay?.(ms);
  }

  interrupt(): void {
    this.#session.interrupt();
  }

  settleToolCall(callId: string, answer: ClientToolAnswer): boolean {
    return this.#dispatcher.settle(callId, answer);
  }
}
