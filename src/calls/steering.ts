import type { Session, ToolDesk } from '../session/index.ts';

type Answer = Parameters<ToolDesk['settle']>[1];

/** What a caller may do, beside talking, while a call is live. */
export class Steering {
  readonly #session: Session;
  readonly #desk: ToolDesk;
  readonly #servedMs: () => number;

  constructor(session: Session, desk: ToolDesk, servedMs: () => number) {
    this.#session = session;
    this.#desk = desk;
    this.#servedMs = servedMs;
  }

  dtmf(digits: string): void {
    this.#session.dtmf(digits, this.#servedMs());
  }

  /** False: as many words as may wait to be spoken do already. */
  say(text: string, interrupt: boolean): boolean {
    return this.#session.say(text, { interrupt });
  }

  interrupt(): void {
    this.#session.interrupt();
  }

  /** The answer of a tool. False: no call of this id waits. */
  settle(callId: string, answer: Answer): boolean {
    return this.#desk.settle(callId, answer);
  }
}
