import { Ajv, type ValidateFunction } from 'ajv';
import type { Clock } from '../platform/clock.ts';

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
      readonly reason: 'unknown_tool' | 'invalid_arguments' | 'timeout' | 'failed' | 'closed';
      readonly content: string;
    };

export interface ToolDeskOptions {
  readonly clock: Clock;
  readonly newCallId: () => string;
  /** Hands the invocation to whoever runs the tool; its answer comes back through `settle`. */
  readonly send: (invocation: ToolInvocation) => void;
}

interface Pending {
  readonly settle: (outcome: ToolOutcome) => void;
}

const MAX_RESULT_CHARACTERS = 16_000;

/** Where a session's tools are called: arguments checked, each invocation sent at most once, the first answer kept. */
export class ToolDesk {
  readonly #options: ToolDeskOptions;
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
  #tools = new Map<string, { tool: SessionTool; check: ValidateFunction }>();
  readonly #pending = new Map<string, Pending>();
  readonly #settled = new Set<string>();
  /** One entry for each name and arguments of a turn, so that a brain asked again does not act again. */
  readonly #made = new Map<string, Promise<ToolOutcome>>();

  constructor(options: ToolDeskOptions) {
    this.#options = options;
  }

  /** Throws the message of the first schema that is not a JSON Schema; the tools stay as they were. */
  replace(tools: readonly SessionTool[]): void {
    const checked = tools.map((tool) => [tool.name, { tool, check: this.#compile(tool) }] as const);
    this.#tools = new Map(checked);
  }

  get tools(): SessionTool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  find(name: string): SessionTool | null {
    return this.#tools.get(name)?.tool ?? null;
  }

  /** Never rejects: an outcome is something a brain can be told. */
  call(turn: number, name: string, argumentsText: string): Promise<ToolOutcome> {
    const entry = this.#tools.get(name);
    if (entry === undefined) return refuse('unknown_tool', `there is no tool ${name}`);
    const args = parseArguments(argumentsText);
    if (args === null) return refuse('invalid_arguments', 'the arguments are not a JSON object');
    if (!entry.check(args)) {
      return refuse('invalid_arguments', this.#ajv.errorsText(entry.check.errors, { dataVar: 'arguments' }));
    }
    const key = `${turn}\n${name}\n${canonical(args)}`;
    const made = this.#made.get(key) ?? this.#send(entry.tool, args);
    this.#made.set(key, made);
    return made;
  }

  /** False: nobody waits for this call; a second answer, or one after the time-out, changes nothing. */
  settle(callId: string, answer: { result?: unknown; error?: string }): boolean {
    const pending = this.#pending.get(callId);
    if (pending === undefined) return this.#settled.has(callId);
    const content = JSON.stringify(
      answer.error === undefined ? (answer.result ?? null) : { error: answer.error },
    );
    if (answer.error !== undefined) pending.settle({ kind: 'error', reason: 'failed', content });
    else pending.settle({ kind: 'result', content: content.slice(0, MAX_RESULT_CHARACTERS) });
    return true;
  }

  /** The session ends: whoever waits is told. */
  close(): void {
    for (const { settle } of [...this.#pending.values()]) {
      settle({ kind: 'error', reason: 'closed', content: '{"error":"the call has ended"}' });
    }
  }

  #send(tool: SessionTool, args: Record<string, unknown>): Promise<ToolOutcome> {
    const callId = this.#options.newCallId();
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(tool.timeoutMs, () => {
        settle({ kind: 'error', reason: 'timeout', content: '{"error":"the tool did not answer in time"}' });
      });
      const settle = (outcome: ToolOutcome): void => {
        stop();
        this.#pending.delete(callId);
        this.#settled.add(callId);
        resolve(outcome);
      };
      this.#pending.set(callId, { settle });
      this.#options.send({ callId, name: tool.name, arguments: args, timeoutMs: tool.timeoutMs });
    });
  }

  #compile(tool: SessionTool): ValidateFunction {
    try {
      return this.#ajv.compile({ type: 'object', ...tool.parameters, $id: undefined });
    } catch (error) {
      throw new Error(
        `parameters of ${tool.name}: ${error instanceof Error ? error.message : 'not a JSON Schema'}`,
      );
    }
  }
}

const refuse = (reason: 'unknown_tool' | 'invalid_arguments', message: string): Promise<ToolOutcome> =>
  Promise.resolve({ kind: 'error', reason, content: JSON.stringify({ error: message }) });

function parseArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}
