import type { Clock } from '../../foundation/platform/clock.ts';
import { nestsWithin } from '../../foundation/platform/nesting.ts';
import type { Interlude } from './interlude.ts';
import { ToolCallLog } from './tool-call-log.ts';
import type {
  SessionTool,
  ToolAnswer,
  ToolEffect,
  ToolInvocation,
  ToolOutcome,
  ToolRefusal,
} from './tool-contract.ts';
import { type ArgumentCheck, compileArguments, SchemaBudget } from './tool-schema.ts';

export interface ToolDispatcherOptions {
  readonly clock: Clock;
  readonly newCallId: (call: string) => string;
  readonly send: (invocation: ToolInvocation) => void;
  /** Asks the caller about a tool whose effect cannot be undone; without it, such a tool is never called. */
  readonly confirm?: (tool: SessionTool, args: Record<string, unknown>) => Interlude;
  /** Names the turn in the log for a call that belongs to none, such as that of a flow; its `turn` is negative. */
  readonly latestTurn?: () => number;
  readonly onSettled?: () => void;
  readonly onLate?: (name: string, content: string) => void;
}

export type ToolTable = ReadonlyMap<string, { readonly tool: SessionTool; readonly check: ArgumentCheck }>;

export interface ToolCallOptions {
  readonly isStillWanted?: () => boolean;
  readonly tools?: ToolTable;
  readonly onWaiting?: () => void;
  readonly signal?: AbortSignal;
  readonly confirmed?: boolean;
  readonly refusal?: ((name: string) => string | null) | undefined;
}

/** The part of a dispatcher that a session uses. */
export type SessionTools = Pick<ToolDispatcher, 'tools' | 'call' | 'close'>;

const DONE = '{"status":"ok"}';
/** The model gets this meanwhile; the outcome follows as a message of its own. */
const UNDER_WAY =
  '{"status":"asking","note":"the caller is being asked now; what comes of it follows as a message"}';

interface ToolRequest {
  readonly turn: number;
  readonly tool: SessionTool;
  readonly args: Record<string, unknown>;
  readonly key: string;
}

interface ToolCallEntry {
  readonly turn: number;
  readonly outcome: Promise<ToolOutcome>;
  delivered: boolean;
}

/**
 * The limit permits a burst of two and then one replacement per interval, because compiling schemas delays all other
 * calls.
 */
const REPLACE_EVERY_MS = 2_000;
const MAX_RESULT_CHARACTERS = 16_000;
const MAX_ARGUMENT_CHARACTERS = 16_000;
/** The limit stops a model that calls tools and never answers. */
const MAX_CALLS_OF_A_TURN = 32;

export class ToolsReplacedTooOften extends Error {}

/**
 * Dispatches a session's tool calls: checks the arguments, sends each invocation at most once, and keeps the
 * first answer.
 */
export class ToolDispatcher {
  readonly callLog = new ToolCallLog();
  readonly #options: ToolDispatcherOptions;
  #tools: ToolTable = new Map();
  readonly #pending = new Map<string, (outcome: ToolOutcome) => void>();
  readonly #settled = new Set<string>();
  readonly #timedOut = new Map<string, string>();
  /**
   * The key combines name and arguments: a repeated request to the brain, or a turn after an interruption, must not
   * repeat the call.
   */
  readonly #made = new Map<string, ToolCallEntry>();
  #replacedUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: ToolDispatcherOptions) {
    this.#options = options;
  }

  /**
   * Throws the message of the first unusable schema, or ToolsReplacedTooOften; the tools then stay unchanged.
   * `shelved` are the agent's own tools, which rank below `tools` of the same name: unusable ones are left out and
   * returned as messages. `paced` limits the rate of replacements that the client requests.
   */
  replace(
    tools: readonly SessionTool[],
    shelved: readonly SessionTool[] = [],
    { paced = true } = {},
  ): string[] {
    const now = this.#options.clock.monotonic();
    const begins = Math.max(now, this.#replacedUntil);
    if (paced && begins - now > REPLACE_EVERY_MS)
      throw new ToolsReplacedTooOften('tools can be replaced once every two seconds; they were not changed');
    this.#replacedUntil = begins + REPLACE_EVERY_MS;
    const checked = new Map<string, { tool: SessionTool; check: ArgumentCheck }>();
    const budget = new SchemaBudget();
    for (const tool of tools) {
      if (checked.has(tool.name)) throw new Error(`two tools have the name ${tool.name}`);
      checked.set(tool.name, { tool, check: compiled(tool, budget) });
    }
    const own = new Map<string, { tool: SessionTool; check: ArgumentCheck }>();
    const faults: string[] = [];
    for (const tool of shelved) {
      if (checked.has(tool.name)) continue;
      try {
        if (own.has(tool.name)) throw new Error(`two tools have the name ${tool.name}: the first is used`);
        own.set(tool.name, { tool, check: budget.attempt(() => compiled(tool, budget)) });
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error));
      }
    }
    this.#tools = new Map([...own, ...checked]);
    return faults;
  }

  /** The table is replaced as a whole, so that a holder keeps a consistent one. */
  get tools(): ToolTable {
    return this.#tools;
  }

  /**
   * Never rejects: every outcome can be given to a brain. `isStillWanted` is called with the outcome ready. Until one
   * turn received it, the same call of a later turn gets that outcome and is not repeated.
   */
  async call(
    turn: number,
    name: string,
    argumentsText: string,
    {
      isStillWanted: wanted = () => true,
      tools = this.#tools,
      onWaiting,
      signal,
      confirmed = false,
      refusal: why,
    }: ToolCallOptions = {},
  ): Promise<ToolOutcome> {
    if (this.#closed) return refusal('closed', 'the call has ended');
    const entry = tools.get(name);
    if (entry === undefined)
      return refusal('unknown_tool', why?.(name.slice(0, 64)) ?? `there is no tool ${name.slice(0, 64)}`);
    const args = parseArguments(argumentsText);
    if (args === null) return refusal('invalid_arguments', 'the arguments are not a JSON object');
    const problem = entry.check.problem(args);
    if (problem !== null) return refusal('invalid_arguments', problem);
    const { tool } = entry;
    if (tool.confirm === true && !confirmed) return this.#asking(tool, args);
    if (tool.act !== undefined) return effectOf(tool.act(args));
    const key = `${name}\n${canonical(args)}`;
    const before = this.#made.get(key);
    const made = before !== undefined && (before.turn === turn || !before.delivered) ? before : null;
    if (made === null && this.#callsOf(turn) >= MAX_CALLS_OF_A_TURN) {
      return refusal('too_many', 'too many tool calls in one turn');
    }
    const asked = made ?? { turn, outcome: this.#send({ turn, tool, args, key }, signal), delivered: false };
    this.#made.set(key, asked);
    onWaiting?.();
    const outcome = await asked.outcome;
    // A cancelled call had no effect, so it may be made again.
    if (outcome.kind === 'error' && outcome.reason === 'cancelled') this.#made.delete(key);
    if (wanted()) asked.delivered = true;
    return outcome;
  }

  /** Returns false where the call is not pending: a second answer, or one after the timeout, changes nothing. */
  settle(callId: string, answer: ToolAnswer): boolean {
    const settle = this.#pending.get(callId);
    if (settle === undefined) return this.#notifyLate(callId, answer);
    settle(outcomeOf(answer));
    return true;
  }

  /** The first answer after the deadline goes to the next turn. */
  #notifyLate(callId: string, answer: ToolAnswer): boolean {
    const name = this.#timedOut.get(callId);
    this.#timedOut.delete(callId);
    if (name !== undefined && !this.#closed) this.#options.onLate?.(name, outcomeOf(answer).content);
    return this.#settled.has(callId);
  }

  #asking(tool: SessionTool, args: Record<string, unknown>): ToolOutcome {
    const { confirm } = this.#options;
    if (confirm === undefined)
      return refusal('unconfirmed', 'the caller cannot be asked to confirm this tool');
    return effectOf({ kind: 'interlude', interlude: confirm(tool, args) });
  }

  close(): void {
    this.#closed = true;
    for (const settle of [...this.#pending.values()]) settle(refusal('closed', 'the call has ended'));
  }

  #callsOf(turn: number): number {
    let calls = 0;
    for (const made of this.#made.values()) if (made.turn === turn) calls++;
    return calls;
  }

  #send({ turn, tool, args, key }: ToolRequest, signal?: AbortSignal): Promise<ToolOutcome> {
    const callId = this.#options.newCallId(key);
    const invocation = { callId, name: tool.name, arguments: args, timeoutMs: tool.timeoutMs };
    const { clock, latestTurn } = this.#options;
    const logged = turn < 0 ? (latestTurn?.() ?? 0) : turn;
    const answered = this.callLog.logCall(logged, invocation, clock.monotonic());
    return new Promise((resolve) => {
      const stop = clock.after(tool.timeoutMs, () => {
        this.#timedOut.set(callId, tool.name);
        settle(refusal('timeout', 'the tool did not answer in time'));
      });
      const settle = (outcome: ToolOutcome): void => {
        stop();
        signal?.removeEventListener('abort', giveUp);
        this.#pending.delete(callId);
        this.#settled.add(callId);
        answered(outcome, clock.monotonic());
        this.#options.onSettled?.();
        resolve(outcome);
      };
      const running = new AbortController();
      const giveUp = (): void => {
        running.abort();
        settle(refusal('cancelled', 'the caller interrupted'));
      };
      this.#pending.set(callId, settle);
      if (tool.run === undefined) this.#options.send(invocation);
      else {
        // A call that the caller has confirmed runs to its end, also through an interruption.
        if (tool.confirm !== true) signal?.addEventListener('abort', giveUp);
        void this.#run(tool.run, invocation, running.signal);
      }
    });
  }

  async #run(
    run: NonNullable<SessionTool['run']>,
    invocation: ToolInvocation,
    signal: AbortSignal,
  ): Promise<void> {
    const answer = await run(invocation, signal).catch((error: unknown) => ({
      error: error instanceof Error ? error.message.slice(0, 300) : 'the tool failed',
    }));
    if (!signal.aborted) this.settle(invocation.callId, answer);
  }
}

export function toolsOf(
  dispatcher: Pick<ToolDispatcher, 'tools'>,
  names: readonly string[],
  own: readonly SessionTool[],
): ToolTable {
  const named = [...dispatcher.tools].filter(([name]) => names.includes(name));
  const extra = own.map((tool) => {
    const check: ArgumentCheck = { problem: (args) => tool.problem?.(args) ?? null };
    return [tool.name, { tool, check }] as const;
  });
  return new Map([...named, ...extra]);
}

const effectOf = (effect: ToolEffect): ToolOutcome => ({
  kind: 'effect',
  effect,
  content: effect.kind === 'interlude' ? UNDER_WAY : DONE,
});

const outcomeOf = ({ result, error }: ToolAnswer): ToolOutcome =>
  error === undefined
    ? { kind: 'result', content: shortened(JSON.stringify(result ?? null)) }
    : { kind: 'error', reason: 'failed', content: JSON.stringify({ error }) };

function compiled(tool: SessionTool, budget: SchemaBudget): ArgumentCheck {
  try {
    return compileArguments(tool.parameters, budget);
  } catch (error) {
    throw new Error(
      `parameters of ${tool.name}: ${error instanceof Error ? error.message : 'not a JSON Schema'}`,
    );
  }
}

const refusal = (reason: ToolRefusal, message: string): ToolOutcome => ({
  kind: 'error',
  reason,
  content: JSON.stringify({ error: message }),
});

/** A truncated result says so and stays JSON, so that the model does not take it for the whole. */
const shortened = (content: string): string =>
  content.length <= MAX_RESULT_CHARACTERS
    ? content
    : JSON.stringify({ truncated: true, beginning: content.slice(0, MAX_RESULT_CHARACTERS / 2) });

function parseArguments(text: string): Record<string, unknown> | null {
  if (text.length > MAX_ARGUMENT_CHARACTERS) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      nestsWithin(MAX_DEPTH, value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const MAX_DEPTH = 32;

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
