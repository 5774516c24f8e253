import type { ToolInvocation, ToolOutcome } from './tool-contract.ts';

export interface ToolCallRecord {
  readonly turnId: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly at: number;
  readonly tookMs: number | null;
  readonly answer: { readonly kind: 'result' | 'error'; readonly content: string } | null;
}

/** The limits cover one call; further tool calls run and are not logged, and results beyond them are left out. */
const MAX_LOGGED_CALLS = 200;
const MAX_LOGGED_CHARACTERS = 200_000;

export class ToolCallLog {
  readonly #calls: ToolCallRecord[] = [];
  #characters = 0;

  get list(): readonly ToolCallRecord[] {
    return this.#calls;
  }

  restore(calls: readonly ToolCallRecord[]): void {
    this.#calls.push(...calls);
    this.#characters = JSON.stringify(calls).length;
  }

  logCall(
    turnId: number,
    invocation: ToolInvocation,
    at: number,
  ): (outcome: ToolOutcome, answeredAt: number) => void {
    const { name, arguments: args } = invocation;
    if (this.#calls.length >= MAX_LOGGED_CALLS || !this.#fits(JSON.stringify(args))) return () => undefined;
    const index = this.#calls.push({ turnId, name, arguments: args, at, tookMs: null, answer: null }) - 1;
    return ({ kind, content }, answeredAt) => {
      const fits = this.#fits(content);
      const answer =
        fits || kind === 'error' ? { kind: kind === 'error' ? kind : ('result' as const), content } : null;
      this.#calls[index] = { ...(this.#calls[index] as ToolCallRecord), tookMs: answeredAt - at, answer };
    };
  }

  #fits(text: string): boolean {
    if (this.#characters + text.length > MAX_LOGGED_CHARACTERS) return false;
    this.#characters += text.length;
    return true;
  }
}
