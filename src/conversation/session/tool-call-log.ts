import type { ToolInvocation, ToolOutcome } from './tool-contract.ts';

/** A tool that was really called, whoever ran it. */
export interface ToolCallRecord {
  readonly turnId: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** By the clock that the account was given. */
  readonly at: number;
  /** Null: it has not answered yet. */
  readonly tookMs: number | null;
  /** What the model was told, as JSON; null: nothing yet. */
  readonly answer: { readonly kind: 'result' | 'error'; readonly content: string } | null;
}

/** Of one call, in all: what comes behind is called and not kept. */
const MAX_LOGGED_CALLS = 200;
const MAX_LOGGED_CHARACTERS = 200_000;

/** The tools that a session called, for the record of its call. */
export class ToolCallLog {
  readonly #calls: ToolCallRecord[] = [];
  #characters = 0;

  get list(): readonly ToolCallRecord[] {
    return this.#calls;
  }

  /** Returns what notes the answer. */
  logCall(
    turnId: number,
    invocation: ToolInvocation,
    at: number,
  ): (outcome: ToolOutcome, answeredAt: number) => void {
    const { name, arguments: args } = invocation;
    if (this.#calls.length >= MAX_LOGGED_CALLS || !this.#fits(JSON.stringify(args))) return () => undefined;
    const index = this.#calls.push({ turnId, name, arguments: args, at, tookMs: null, answer: null }) - 1;
    return ({ kind, content }, answeredAt) => {
      if (!this.#fits(content)) return;
      const answer = { kind: kind === 'error' ? kind : ('result' as const), content };
      this.#calls[index] = { ...(this.#calls[index] as ToolCallRecord), tookMs: answeredAt - at, answer };
    };
  }

  #fits(text: string): boolean {
    if (this.#characters + text.length > MAX_LOGGED_CHARACTERS) return false;
    this.#characters += text.length;
    return true;
  }
}
