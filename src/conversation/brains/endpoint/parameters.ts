import type { BrainRequest } from '../contract.ts';

export interface RequestParameterSettings {
  readonly maxTokens: number;
  readonly reasoningEffort?: string;
  readonly temperature?: number;
}

const OPTIONAL = [
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'seed',
  'reasoning_effort',
  'stream_options',
] as const;
type Optional = (typeof OPTIONAL)[number];

const REASONING_FACTOR = 8;

/** A parameter that the server rejected once is not sent again. */
export class RequestParameters {
  readonly #settings: RequestParameterSettings;
  readonly #refused = new Set<Optional>();
  #tokens: number;

  constructor(settings: RequestParameterSettings) {
    this.#settings = settings;
    this.#tokens = settings.maxTokens;
  }

  of(
    { seed, temperature }: Pick<BrainRequest, 'seed' | 'temperature'>,
    tokens = 0,
  ): Partial<Record<Optional, unknown>> {
    const inputTokens = this.#tokens - this.#settings.maxTokens;
    const all: Partial<Record<Optional, unknown>> = {
      [this.#refused.has('max_tokens') ? 'max_completion_tokens' : 'max_tokens']:
        Math.max(this.#settings.maxTokens, tokens) + inputTokens,
      temperature: temperature ?? this.#settings.temperature,
      seed,
      reasoning_effort: this.#settings.reasoningEffort,
      // The usage reports how much of the prompt was cached.
      stream_options: { include_usage: true },
    };
    return Object.fromEntries(
      Object.entries(all).filter(
        ([name, value]) => value !== undefined && !this.#refused.has(name as Optional),
      ),
    );
  }

  /**
   * Returns true where the server named a parameter that it rejects, and the request should be repeated without
   * it.
   */
  refused(said: string): boolean {
    const name = namedIn(said);
    if (name === undefined || this.#refused.has(name)) return false;
    this.#refused.add(name);
    return true;
  }

  raiseTokenLimit(): boolean {
    if (this.#tokens > this.#settings.maxTokens) return false;
    this.#tokens = this.#settings.maxTokens * REASONING_FACTOR;
    return true;
  }
}

const TOO_MANY = /too (?:large|long|many|high)|at most|maximum|exceed|context length|less than|reduce/i;
const UNKNOWN_NAME = /unsupported|unrecogni[sz]ed|unknown|not supported|not permitted|use '/i;

/** Matches errors about a token limit that is too high, by itself or together with the prompt. */
export const isTooManyTokens = (said: string): boolean =>
  /token/i.test(said) && TOO_MANY.test(said) && !UNKNOWN_NAME.test(said);

/** The error's own field names the parameter; otherwise the first one in its text counts. */
function namedIn(said: string): Optional | undefined {
  const named = paramOf(said);
  const exact = OPTIONAL.find((name) => name === named);
  if (exact !== undefined) return exact;
  return OPTIONAL.map((name) => ({ name, at: said.search(new RegExp(`\\b${name}\\b`)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0]?.name;
}

function paramOf(said: string): unknown {
  try {
    const { error } = JSON.parse(said) as { error?: { param?: unknown } };
    return typeof error?.param === 'string' ? error.param.split(/[.[]/)[0] : undefined;
  } catch {
    return undefined;
  }
}
