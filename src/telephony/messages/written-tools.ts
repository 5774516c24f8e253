import { createHash } from 'node:crypto';
import {
  type AgentFields,
  type AgentMemories,
  BUILTIN_MS,
  type CallTools,
  REMEMBER,
  type ToolSource,
  TRANSFER,
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
  /** A tool that could not be had, in words for the operator's log. */
  readonly onFault?: (fault: string) => void;
}

/** Which answer the tools are called for. */
export interface AnswerOfTools {
  readonly scope: TenantScope;
  readonly agentId: string;
  readonly fields: AgentFields;
  readonly messageId: string;
  readonly person: string;
}

/** One answer is one turn of the desk: the same call is made once in it. */
const TURN = 1;

/** The tools of one written answer, called as those of a call are: arguments checked, each call made once and in time.
 * A tool that the caller's own client runs, or that asks the caller first, has nobody here and is not offered. */
export class WrittenTools {
  /** The agent's decision to hand over ends the answer. */
  handOver: HandOverOrder | null = null;
  readonly #deps: WrittenToolsDeps;
  readonly #answer: AnswerOfTools;
  readonly #tools: CallTools;
  readonly #dispatcher: ToolDispatcher;

  private constructor(deps: WrittenToolsDeps, answer: AnswerOfTools, tools: CallTools) {
    this.#deps = deps;
    this.#answer = answer;
    this.#tools = tools;
    this.#dispatcher = new ToolDispatcher({
      clock: deps.clock,
      newCallId: (call) => callIdOf(answer.messageId, call),
      send: () => undefined,
    });
    this.#offer(tools.tools.filter(({ run, confirm }) => run !== undefined && confirm !== true));
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

  /** Facts that the agent keeps of this person, as data for the brain; null: none. */
  async remembered(): Promise<string | null> {
    if (!this.#answer.fields.builtin_tools.includes('remember')) return null;
    const facts = await this.#facts();
    return facts.length === 0 ? null : `Known of this person from earlier: ${facts.join('; ')}`;
  }

  /** Gives the brain the results of its calls. */
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

  /** A server of tools may offer what no desk takes; the agent answers without it. */
  #offer(shelved: readonly SessionTool[]): void {
    for (const fault of this.#dispatcher.replace(this.#builtin(), shelved)) this.#deps.onFault?.(fault);
  }

  #builtin(): SessionTool[] {
    const { builtin_tools: names } = this.#answer.fields;
    return [
      ...(names.includes('transfer') ? [this.#transfer()] : []),
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

  /** Once, though an answer may be tried again. */
  async #keep(fact: string): Promise<void> {
    const { scope, agentId, person } = this.#answer;
    if (!(await this.#facts()).includes(fact)) await this.#deps.memories.add(scope, agentId, person, fact);
  }

  #facts(): Promise<string[]> {
    const { scope, agentId, person } = this.#answer;
    return this.#deps.memories.of(scope, agentId, person);
  }
}

/** The same for the same call of the same answer: whoever runs the tool sees a second try for what it is. */
const callIdOf = (messageId: string, call: string): string =>
  `tool_${createHash('sha256').update(`${messageId}\n${call}`).digest('hex').slice(0, 20)}`;
