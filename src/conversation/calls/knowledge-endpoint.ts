import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { Passage } from '../brains/index.ts';

const TIMEOUT_MS = 800;
const MAX_BYTES = 256_000;
const MAX_PASSAGES = 8;
const MAX_PASSAGE_CHARACTERS = 4_000;
const MAX_SOURCE_CHARACTERS = 500;

const Answer = Type.Object({
  passages: Type.Array(
    Type.Object({
      text: Type.String(),
      source: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      score: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    }),
  ),
});

export interface KnowledgeQuestion {
  readonly query: string;
  readonly sessionLabel: string | null;
  readonly callId: string;
  readonly language: string;
}

export type SignedHeadersOf = (body: string) => Promise<Readonly<Record<string, string>>>;

export interface KnowledgeEndpointDeps {
  readonly gate: UrlGate;
  readonly sign: SignedHeadersOf;
  readonly onFault: (message: string) => void;
}

export class KnowledgeEndpoint {
  readonly #deps: KnowledgeEndpointDeps;
  readonly #url: string;

  constructor(deps: KnowledgeEndpointDeps, url: string) {
    deps.gate.check(url);
    this.#deps = deps;
    this.#url = url;
  }

  async ask(question: KnowledgeQuestion, signal: AbortSignal): Promise<readonly Passage[]> {
    const { gate, sign, onFault } = this.#deps;
    const body = JSON.stringify({
      query: question.query,
      session_label: question.sessionLabel,
      call_id: question.callId,
      language: question.language,
      top_k: MAX_PASSAGES,
    });
    try {
      const signed = await sign(body);
      const response = await gate.fetch(this.#url, {
        method: 'POST',
        headers: { ...signed, 'content-type': 'application/json', accept: 'application/json' },
        body,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      const chunks: Buffer[] = [];
      for await (const chunk of response.body) chunks.push(chunk as Buffer);
      if (response.status !== 200) throw new Error(`it responded with status ${response.status}`);
      return passagesOf(Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      if (!signal.aborted) onFault(error instanceof Error ? error.message : String(error));
      return [];
    }
  }
}

function passagesOf(body: string): Passage[] {
  const answer: unknown = JSON.parse(body);
  if (!Value.Check(Answer, answer))
    throw new Error('its response does not have the form {passages: [{text, source?, score?}]}');
  return answer.passages.slice(0, MAX_PASSAGES).map(({ text, source, score }) => ({
    text: text.slice(0, MAX_PASSAGE_CHARACTERS),
    ...(source ? { source: source.slice(0, MAX_SOURCE_CHARACTERS) } : {}),
    ...(typeof score === 'number' ? { score } : {}),
  }));
}
