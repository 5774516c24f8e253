import type { BrainRequest } from '../contract.ts';

export interface ParameterSettings {
  readonly maxTokens: number;
  readonly reasoningEffort?: string;
  readonly temperature?: number;
}

/** Parameters that a server may refuse, and the answer is an answer without them. */
const OPTIONAL = [
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'seed',
  'reasoning_effort',
  'stream_options',
] as const;
type Optional = (typeof OPTIONAL)[number];

/** What a model that thinks is given beside its answer. */
const ROOM = 8;

/** What a server takes beside the talk: what it has refused once is not sent again. */
export class Parameters {
  readonly #settings: ParameterSettings;
  readonly #refused = new Set<Optional>();
  #tokens: number;

  constructor(settings: ParameterSettings) {
    this.#settings = settings;
    this.#tokens = settings.maxTokens;
  }

  of({ seed, temperature }: Pick<BrainRequest, 'seed' | 'temperature'>): Partial<Record<Optional, unknown>> {
    const all: Partial<Record<Optional, unknown>> = {
      [this.#refused.has('max_tokens') ? 'max_completion_tokens' : 'max_tokens']: this.#tokens,
      temperature: temperature ?? this.#settings.temperature,
      seed,
      reasoning_effort: this.#settings.reasoningEffort,
      // How much of the prompt had been read before.
      stream_options: { include_usage: true },
    };
    return Object.fromEntries(
      Object.entries(all).filter(
        ([name, value]) => value !== undefined && !this.#refused.has(name as Optional),
      ),
    );
  }

  /** True: the server named a parameter that it does not take, and is to be asked again without it. */
  refused(said: string): boolean {
    const name = namedIn(said);
    if (name === undefined || this.#refused.has(name)) return false;
    this.#refused.add(name);
    return true;
  }

  /** False: there was room already. */
  makeRoom(): boolean {
    if (this.#tokens > this.#settings.maxTokens) return false;
    this.#tokens = this.#settings.maxTokens * ROOM;
    return true;
  }
}

/** By the error's own field where there is one; else the one that its words name first. */
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
