import {
  type AgentFields,
  groundingOf,
  type ProfileSource,
  servedLanguage,
} from '../../conversation/agents/index.ts';
import {
  type Brain,
  type BrainLanguage,
  type BrainMessage,
  type BrainRequest,
  type BrainToolCall,
  escapeMarkup,
  type Passage,
} from '../../conversation/brains/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { deadline } from '../../foundation/platform/deadline.ts';
import { AGENT_LANGUAGE_WORDS } from '../../language/text/index.ts';
import type { Answerer, ConversationMessage, NumberDirectory, TextReply } from './contract.ts';
import { WrittenTools, type WrittenToolsDeps } from './written-tools.ts';

/** Applies the guardrails of calls to texts. Null means no objection. */
export interface WrittenGuard {
  writes(text: string, language: BrainLanguage): Promise<Verdict | null>;
  reads(text: string, language: BrainLanguage): Promise<Verdict | null>;
}
interface Verdict {
  readonly kind: string;
  readonly instead: string;
}

export interface TextAgentDeps extends WrittenToolsDeps {
  readonly brain: Brain;
  readonly profiles: ProfileSource;
  readonly numbers: Pick<NumberDirectory, 'agentOf'>;
  /** Searches the knowledge bases of these ids, or all of the organization's when there are none. */
  readonly passages: (
    scope: TenantScope,
    bases: readonly string[],
    query: string,
    signal: AbortSignal,
  ) => Promise<readonly Passage[]>;
  readonly guard: (scope: TenantScope, agentId: string) => Promise<WrittenGuard | null>;
}

const LONGEST = 1600;
/** The deadline includes tool calls. */
const WITHIN_MS = 60_000;
const MOST_ROUNDS = 4;

interface ModelReply {
  readonly text: string;
  readonly calls: readonly BrainToolCall[];
  readonly handsOver: boolean;
}

/** Answers texts to an agent's number, if the agent's profile has the tool `send_message`. */
export class TextAgent implements Answerer {
  readonly #deps: TextAgentDeps;

  constructor(deps: TextAgentDeps) {
    this.#deps = deps;
  }

  async answer(
    scope: TenantScope,
    written: ConversationMessage,
    signal: AbortSignal,
  ): Promise<TextReply | null> {
    const { numbers, profiles } = this.#deps;
    const agentId = await numbers.agentOf(scope, written.ours);
    const profile = agentId === null ? null : await profiles.profileFor(scope, agentId, written.id);
    if (profile === null || !profile.fields.builtin_tools.includes('send_message')) return null;
    const inTime = deadline(WITHIN_MS, signal);
    const { fields } = profile;
    const person = written.theirs;
    const of = { scope, agentId: profile.agentId, fields, messageId: written.id, person };
    const tools = await WrittenTools.open(this.#deps, of);
    try {
      const request = await this.#request(scope, fields, written, tools, inTime);
      const text = await this.#said(request, tools, await this.#deps.guard(scope, profile.agentId), inTime);
      return { text: shortened(text), handOver: tools.handOver };
    } finally {
      await tools.close();
    }
  }

  async #request(
    scope: TenantScope,
    fields: AgentFields,
    { talk }: ConversationMessage,
    tools: WrittenTools,
    signal: AbortSignal,
  ): Promise<BrainRequest> {
    const query = talk.at(-1)?.text ?? '';
    const known = await tools.remembered();
    const facts: BrainMessage[] =
      known === null ? [] : [{ role: 'user', content: `<context>${escapeMarkup(known)}</context>` }];
    const messages = talk.map(
      ({ by, text }): BrainMessage => ({ role: by === 'person' ? 'user' : 'assistant', content: text }),
    );
    return {
      language: servedLanguage(fields.language),
      persona: fields.persona,
      messages: [...facts, ...messages],
      tools: tools.offered,
      passages: await this.#deps.passages(scope, fields.knowledge_base_ids, query, signal),
      grounding: groundingOf(fields),
      written: true,
      owner: scope.org,
      ...(fields.time_zone === null ? {} : { timeZone: fields.time_zone }),
      ...(fields.brain === null ? {} : { brain: fields.brain }),
    };
  }

  /** Returns the text of the last round: text from before a tool's result is not sent. */
  async #said(
    request: BrainRequest,
    tools: WrittenTools,
    guard: WrittenGuard | null,
    signal: AbortSignal,
  ): Promise<string> {
    const { language } = request;
    const history: BrainMessage[] = [];
    const asked = request.messages.at(-1)?.content ?? '';
    const read = (await guard?.reads(asked, language)) ?? null;
    if (read?.kind === 'handed_over') {
      tools.passOn(null, asked);
      return read.instead;
    }
    let last = '';
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const said = await this.#ask({ ...request, messages: [...request.messages, ...history] }, signal);
      const ruling = said.text === '' ? null : ((await guard?.writes(said.text, language)) ?? null);
      if (ruling?.kind === 'handed_over') tools.passOn(null, asked);
      // The tool calls of a refused answer do not run either.
      if (ruling !== null && ruling.kind !== 'flagged') return ruling.instead;
      if (said.text !== '') last = said.text;
      if (said.calls.length > 0) history.push(...(await tools.call(said.calls, signal)));
      signal.throwIfAborted();
      if (said.handsOver) tools.passOn(null, asked);
      if (tools.handOver !== null)
        return last === '' ? AGENT_LANGUAGE_WORDS[language].phrases.handOver : last;
      if (said.calls.length === 0) return last;
    }
    return last === '' ? AGENT_LANGUAGE_WORDS[language].phrases.apology : last;
  }

  async #ask(request: BrainRequest, signal: AbortSignal): Promise<ModelReply> {
    let text = '';
    let calls: BrainToolCall[] = [];
    let handsOver = false;
    for await (const event of this.#deps.brain.respond(request, signal)) {
      if (event.kind === 'text') text += event.text;
      if (event.kind === 'tool_call') calls.push(event.call);
      if (event.kind === 'action') handsOver ||= event.action === 'hand_over';
      if (event.kind === 'fallback') {
        text = event.dropped === undefined ? '' : text.slice(0, text.length - event.dropped);
        calls = [];
      }
      if (text.length > 4 * LONGEST) break;
    }
    // A stopped model ends its stream in the middle without an error.
    signal.throwIfAborted();
    return { text: text.trim(), calls, handsOver };
  }
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const cut = text.slice(0, LONGEST - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), LONGEST / 2)).trimEnd()}…`;
}
