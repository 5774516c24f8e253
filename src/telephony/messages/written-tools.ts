import { createHash } from 'node:crypto';
import {
  type AgentFields,
  type AgentMemories,
  BUILTIN_MS,
  type CallTools,
  REMEMBER,
  type ToolSource,
  TRANSFER,
  toolsInWriting,
} from '../../conversation/agents/index.ts';
import type { BrainMessage, BrainTool, BrainToolCall } from '../../conversation/brains/index.ts';
import { type SessionTool, ToolDispatcher } from '../../conversation/session/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { HandOverOrder } from './contract.ts';

export interface WrittenToolsDeps {
  readonly clock: Clock;
  readonly tools: ToolSource;
  readonly memories: Pick<AgentMemories, 'add' | 'of'>;
  readonly onFault?: (fault: string) => void;
}

export interface AnswerOfTools {
  readonly scope: TenantScope;
  readonly agentId: string;
  readonly fields: AgentFields;
  readonly messageId: string;
  readonly person: string;
}

/** One answer is one turn: within it the dispatcher makes equal calls once. */
const TURN = 1;

/**
 * Runs the tools of one written answer like those of a call: with checked arguments, once per equal call and with a
 * timeout. Tools that run in the caller's client,
 * need the caller's consent or stand behind a required step of the agent's flow are not offered.
 */
export class WrittenTools {
  handOver: HandOverOrder | null = null;
  readonly #deps: WrittenToolsDeps;
  readonly #answer: AnswerOfTools;
  readonly #tools: CallTools;
  readonly #dispatcher: ToolDispatcher;
  readonly #allowed: ReadonlySet<string> | null;

  private constructor(deps: WrittenToolsDeps, answer: AnswerOfTools, tools: CallTools) {
    this.#deps = deps;
    this.#answer = answer;
    this.#tools = tools;
    this.#allowed = toolsInWriting(answer.fields);
    this.#dispatcher = new ToolDispatcher({
      clock: deps.clock,
      newCallId: (call) => callIdOf(answer.messageId, call),
      send: () => undefined,
    });
    const allowed = this.#allowed;
    this.#offer(
      tools.tools.filter(
        ({ name, run, confirm }) => run !== undefined && confirm !== true && (allowed?.has(name) ?? true),
      ),
    );
  }

  static async open(deps: WrittenToolsDeps, answer: AnswerOfTools): Promise<WrittenTools> {
    const { scope, agentId, fields, messageId, person } = answer;
    const call = { scope, callId: messageId, agentId, sessionLabel: null, externalId: person };
    const tools = await deps.tools.forCall(fields, call);
    for (const fault of tools.faults) deps.onFault?.(fault);
    return new WrittenTools(deps, answer, tools);
  }

  get offered(): BrainTool[] {
    return [...this.#dispatcher.tools.values()].map(({ tool: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
    }));
  }

  async remembered(): Promise<string | null> {
    if (!this.#answer.fields.builtin_tools.includes('remember')) return null;
    const facts = await this.#facts();
    return facts.length === 0 ? null : `Known of this person from earlier: ${facts.join('; ')}`;
  }

  async call(calls: readonly BrainToolCall[], signal: AbortSignal): Promise<BrainMessage[]> {
    const results = await Promise.all(
      calls.map(async ({ id, name, arguments: args }) => {
        const outcome = await this.#dispatcher.call(TURN, name, args, { signal });
        return { role: 'tool' as const, callId: id, name, content: outcome.content };
      }),
    );
    return [{ role: 'assistant', content: '', toolCalls: calls }, ...results];
  }

  passOn(to: string | null, summary: string | null): void {
    this.handOver ??= { agentId: this.#answer.agentId, to, summary };
  }

  async close(): Promise<void> {
    this.#dispatcher.close();
    await this.#tools.close();
  }

  /** A tool server may offer tools that the dispatcher rejects; the agent answers without them. */
  #offer(shelved: readonly SessionTool[]): void {
    for (const fault of this.#dispatcher.replace(this.#builtin(), shelved)) this.#deps.onFault?.(fault);
  }

  #builtin(): SessionTool[] {
    const { builtin_tools: names } = this.#answer.fields;
    return [
      ...(names.includes('transfer') && (this.#allowed?.has('transfer') ?? true) ? [this.#transfer()] : []),
      ...(names.includes('remember') ? [this.#remember()] : []),
    ];
  }

  #transfer(): SessionTool {
    return {
      name: 'transfer',
      description: 'Hand the conversation over to a person or a department. Say so in the same answer.',
      parameters: TRANSFER,
      timeoutMs: BUILTIN_MS,
      filler: null,
      act: ({ to, summary }) => {
        this.passOn(String(to), String(summary));
        return { kind: 'hand_over' };
      },
    };
  }

  #remember(): SessionTool {
    return {
      name: 'remember',
      description: 'Keep one fact about this person for later.',
      parameters: REMEMBER,
      timeoutMs: BUILTIN_MS,
      filler: null,
      run: async ({ arguments: { fact } }) => {
        await this.#keep(String(fact));
        return { result: { status: 'kept' } };
      },
    };
  }

  /** Stores each fact once, though an answer may be retried. */
  async #keep(fact: string): Promise<void> {
    const { scope, agentId, person } = this.#answer;
    if (!(await this.#facts()).includes(fact)) await this.#deps.memories.add(scope, agentId, person, fact);
  }

  #facts(): Promise<string[]> {
    const { scope, agentId, person } = this.#answer;
    return this.#deps.memories.of(scope, agentId, person);
  }
}

/** The id is the same for each retry of the same call, so that the tool's server can recognize the retry. */
const callIdOf = (messageId: string, call: string): string =>
  `tool_${createHash('sha256').update(`${messageId}\n${call}`).digest('hex').slice(0, 20)}`;
