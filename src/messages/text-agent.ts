import type { Reach } from '../access/contract.ts';
import { type AgentFields, groundingOf, type ProfileSource, servedLanguage } from '../agents/index.ts';
import type { Brain, BrainLanguage, BrainRequest, Passage } from '../brain/index.ts';
import type { Answerer, NumberBook, Written } from './contract.ts';

/** Looks at what an agent is about to write, as at what it says. Null: nothing speaks against it. */
type Guard = (
  before: string,
  piece: string,
  language: BrainLanguage,
) => Verdict | null | Promise<Verdict | null>;
interface Verdict {
  readonly kind: string;
  readonly instead: string;
}

export interface TextAgentDeps {
  readonly brain: Brain;
  readonly profiles: ProfileSource;
  readonly numbers: Pick<NumberBook, 'agentOf'>;
  /** Of the bases of these ids; of none: of the organization's. */
  readonly passages: (
    reach: Reach,
    bases: readonly string[],
    query: string,
    signal: AbortSignal,
  ) => Promise<readonly Passage[]>;
  /** Null: its words are not looked at. */
  readonly guard: (reach: Reach, agentId: string) => Promise<Guard | null>;
}

/** What networks carry at most. */
const LONGEST = 1600;
const WITHIN_MS = 60_000;

/** The agent of a number answers what people write to it, if its profile lets it send messages. */
export class TextAgent implements Answerer {
  readonly #deps: TextAgentDeps;

  constructor(deps: TextAgentDeps) {
    this.#deps = deps;
  }

  async answer(reach: Reach, written: Written, signal: AbortSignal): Promise<string | null> {
    const { numbers, profiles, guard } = this.#deps;
    const agentId = await numbers.agentOf(reach, written.ours);
    const profile = agentId === null ? null : await profiles.profileFor(reach, agentId, written.id);
    if (profile === null || !profile.fields.builtin_tools.includes('send_message')) return null;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
    const request = await this.#request(reach, profile.fields, written, inTime);
    const said = await this.#ask(request, inTime);
    const looks = said === '' ? null : await guard(reach, profile.agentId);
    const ruling = (await looks?.('', said, request.language)) ?? null;
    const sent = ruling === null || ruling.kind === 'flagged' ? said : ruling.instead;
    return sent === '' ? null : shortened(sent);
  }

  async #request(
    reach: Reach,
    fields: AgentFields,
    { talk }: Written,
    signal: AbortSignal,
  ): Promise<BrainRequest> {
    const query = talk.at(-1)?.text ?? '';
    return {
      language: servedLanguage(fields.language),
      persona: fields.persona,
      messages: talk.map(({ by, text }) => ({ role: by === 'person' ? 'user' : 'assistant', content: text })),
      tools: [],
      passages: await this.#deps.passages(reach, fields.knowledge_base_ids, query, signal),
      grounding: groundingOf(fields),
      written: true,
      owner: reach.org,
      ...(fields.time_zone === null ? {} : { timeZone: fields.time_zone }),
      ...(fields.brain === null ? {} : { brain: fields.brain }),
    };
  }

  async #ask(request: BrainRequest, signal: AbortSignal): Promise<string> {
    let said = '';
    for await (const event of this.#deps.brain.respond(request, signal)) {
      if (event.kind === 'text') said += event.text;
      // What the brain before it began is not half of another's answer.
      if (event.kind === 'fallback') said = '';
      if (said.length > 4 * LONGEST) break;
    }
    // A brain that is stopped ends in the middle, without a word about it.
    signal.throwIfAborted();
    return said.trim();
  }
}

/** Up to the last whole word that there is room for. */
function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const cut = text.slice(0, LONGEST - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), LONGEST / 2)).trimEnd()}…`;
}
