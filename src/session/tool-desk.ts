import type { Clock } from '../platform/clock.ts';
import { nestsWithin } from '../platform/nesting.ts';
import { type ArgumentCheck, compileArguments, SchemaAllowance } from './tool-schema.ts';

export interface SessionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Spoken while the tool runs. */
  readonly filler: string | null;
}

export interface ToolInvocation {
  readonly callId: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly timeoutMs: number;
}

export type ToolOutcome =
  | { readonly kind: 'result'; readonly content: string }
  | {
      readonly kind: 'error';
      readonly reason: 'unknown_tool' | 'invalid_arguments' | 'timeout' | 'failed' | 'closed' | 'too_many';
      readonly content: string;
    };

export interface ToolDeskOptions {
  readonly clock: Clock;
  readonly newCallId: () => string;
  /** Hands the invocation to whoever runs the tool; its answer comes back through `settle`. */
  readonly send: (invocation: ToolInvocation) => void;
}

export type Tools = ReadonlyMap<string, { readonly tool: SessionTool; readonly check: ArgumentCheck }>;

export interface CallOptions {
  readonly wanted?: () => boolean;
  /** The session's own of now, where none are given. */
  readonly tools?: Tools;
  /** Nothing speaks against the call: it was sent, now or before, and its answer is waited for. */
  readonly onWaiting?: () => void;
}

/** An invocation that was sent. */
interface Made {
  readonly turn: number;
  readonly outcome: Promise<ToolOutcome>;
  /** A turn that was still wanted has been told its outcome. */
  told: boolean;
}

/** Two in a row, then one in so long: compiling schemas holds up everybody else's calls. */
const REPLACE_EVERY_MS = 2_000;
const MAX_RESULT_CHARACTERS = 16_000;
const MAX_ARGUMENT_CHARACTERS = 16_000;
/** Of one turn: a model that goes on calling is not answering. */
const MAX_CALLS_OF_A_TURN = 32;

/** Tools were replaced a moment ago, and again before that. */
export class TooOften extends Error {}

/** Where a session's tools are called: arguments checked, each invocation sent at most once, the first answer kept. */
export class ToolDesk {
  readonly #options: ToolDeskOptions;
  #tools: Tools = new Map();
  readonly #pending = new Map<string, (outcome: ToolOutcome) => void>();
  readonly #settled = new Set<string>();
  /** By name and arguments: what a brain asked again, or a turn after an interruption, must not do again. */
  readonly #made = new Map<string, Made>();
  #replacedUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: ToolDeskOptions) {
    this.#options = options;
  }

  /** Throws the message of the first schema that can't be used, or TooOften; the tools stay as they were. */
  replace(tools: readonly SessionTool[]): void {
    const now = this.#options.clock.monotonic();
    const begins = Math.max(now, this.#replacedUntil);
    if (begins - now > REPLACE_EVERY_MS)
      throw new TooOften('tools can be replaced once in two seconds; they stay as they were');
    this.#replacedUntil = begins + REPLACE_EVERY_MS;
    const checked = new Map<string, { tool: SessionTool; check: ArgumentCheck }>();
    const allowance = new SchemaAllowance();
    for (const tool of tools) {
      if (checked.has(tool.name)) throw new Error(`there are two tools ${tool.name}`);
      checked.set(tool.name, { tool, check: compiled(tool, allowance) });
    }
    this.#tools = checked;
  }

  /** By name. Replaced as a whole: whoever holds them keeps them as they were. */
  get tools(): Tools {
    return this.#tools;
  }

  /** Never rejects: an outcome is something a brain can be told. `wanted` says, when the outcome is there, whether the turn still
   * lives to be told: until one was, the same call of a later turn gets that outcome and is not made again. */
  async call(
    turn: number,
    name: string,
    argumentsText: string,
    { wanted = () => true, tools = this.#tools, onWaiting }: CallOptions = {},
  ): Promise<ToolOutcome> {
    if (this.#closed) return refusal('closed', 'the call has ended');
    const entry = tools.get(name);
    if (entry === undefined) return refusal('unknown_tool', `there is no tool ${name.slice(0, 64)}`);
    const args = parseArguments(argumentsText);
    if (args === null) return refusal('invalid_arguments', 'the arguments are not a JSON object');
    const problem = entry.check.problem(args);
    if (problem !== null) return refusal('invalid_arguments', problem);
    const key = `${name}\n${canonical(args)}`;
    const before = this.#made.get(key);
    const made = before !== undefined && (before.turn === turn || !before.told) ? before : null;
    if (made === null && this.#callsOf(turn) >= MAX_CALLS_OF_A_TURN) {
      return refusal('too_many', 'too many tool calls in one turn');
    }
    const asked = made ?? { turn, outcome: this.#send(entry.tool, args), told: false };
    this.#made.set(key, asked);
    onWaiting?.();
    const outcome = await asked.outcome;
    if (wanted()) asked.told = true;
    return outcome;
  }

  /** False: nobody waits for this call; a second answer, or one after the time-out, changes nothing. */
  settle(callId: string, answer: { result?: unknown; error?: string }): boolean {
    const settle = this.#pending.get(callId);
    if (settle === undefined) return this.#settled.has(callId);
    if (answer.error !== undefined) {
      settle({ kind: 'error', reason: 'failed', content: JSON.stringify({ error: answer.error }) });
    } else {
      settle({ kind: 'result', content: shortened(JSON.stringify(answer.result ?? null)) });
    }
    return true;
  }

  /** The session ends: whoever waits is told. */
  close(): void {
    this.#closed = true;
    for (const settle of [...this.#pending.values()]) settle(refusal('closed', 'the call has ended'));
  }

  #callsOf(turn: number): number {
    let calls = 0;
    for (const made of this.#made.values()) if (made.turn === turn) calls++;
    return calls;
  }

  #send(tool: SessionTool, args: Record<string, unknown>): Promise<ToolOutcome> {
    const callId = this.#options.newCallId();
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(tool.timeoutMs, () =>
        settle(refusal('timeout', 'the tool did not answer in time')),
      );
      const settle = (outcome: ToolOutcome): void => {
        stop();
        this.#pending.delete(callId);
        this.#settled.add(callId);
        resolve(outcome);
      };
      this.#pending.set(callId, settle);
      this.#options.send({ callId, name: tool.name, arguments: args, timeoutMs: tool.timeoutMs });
    });
  }
}

function compiled(tool: SessionTool, allowance: SchemaAllowance): ArgumentCheck {
  try {
    return compileArguments(tool.parameters, allowance);
  } catch (error) {
    throw new Error(
      `parameters of ${tool.name}: ${error instanceof Error ? error.message : 'not a JSON Schema'}`,
    );
  }
}

const refusal = (
  reason: Extract<ToolOutcome, { kind: 'error' }>['reason'],
  message: string,
): ToolOutcome => ({ kind: 'error', reason, content: JSON.stringify({ error: message }) });

/** What is too long says so, and stays JSON: the model must not take a part for the whole. */
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

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
