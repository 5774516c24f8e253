import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../foundation/platform/errors.ts';
import { printableValue } from '../../foundation/platform/printable.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { AddedEngineVoice } from '../../media/engine/index.ts';

export type Tier = 'standard' | 'natural';
export type Product = 'speak' | 'omni' | 'cast';
/**
 * The server serves these products; a test checks them against the routes. An added product needs a new reference
 * pack: node scripts/publish-reference.mjs.
 */
export const PRODUCTS: readonly Product[] = ['speak', 'omni', 'cast'];
export const EMOTIONS = ['neutral', 'warm', 'cheerful', 'calm', 'serious', 'sad'] as const;
export type Emotion = (typeof EMOTIONS)[number];

export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  /** The region and gender are null where an added voice does not state them. */
  readonly region: string | null;
  readonly gender: 'female' | 'male' | null;
  readonly tier: Tier;
  readonly emotions: readonly Emotion[];
  readonly aliases: readonly string[];
  /**
   * The model was not trained on the language and approximates its sounds; whether listeners understand it is not
   * measured.
   */
  readonly experimental?: true;
  readonly available_on: readonly Product[];
  readonly synthesis: {
    readonly model: string;
    readonly style?: string;
    /** The phonemizer's voice; absent where no text of the language can be spoken yet. */
    readonly phonemes?: string;
    readonly added?: AddedEngineVoice;
  };
}

interface Table {
  readonly default: string;
  readonly language_defaults: Readonly<Record<string, string>>;
  readonly retired: readonly string[];
  readonly voices: readonly Voice[];
}

const TABLE = join(PROJECT_ROOT, 'models/voices.json');
/** "A bad Hindi id serves the default": any name with the form of a Hindi alias or id resolves. */
const HINDI = /^hi[-_]?\d*$|_hi_in$/i;

export interface AddedVoiceSource {
  readonly list: readonly Voice[];
  find(name: string): Voice | undefined;
  chosenFor(language: string, plan?: string, device?: string): string | undefined;
}

const NONE: AddedVoiceSource = { list: [], find: () => undefined, chosenFor: () => undefined };

export class StockVoices {
  readonly #table: Table;
  readonly #added: AddedVoiceSource;
  readonly #byName = new Map<string, Voice>();
  #device: () => string | undefined = () => undefined;

  constructor(location: string | URL = TABLE, added: AddedVoiceSource = NONE) {
    this.#table = JSON.parse(readFileSync(location, 'utf8')) as Table;
    this.#added = added;
    for (const voice of this.#table.voices)
      for (const name of [voice.id, ...voice.aliases]) this.#claim(name, voice);
  }

  /** The operator's rules may name the device of the engine, which opens after the voices. */
  servesOn(device: () => string): void {
    this.#device = device;
  }

  get list(): readonly Voice[] {
    const added = this.#added.list;
    return added.length === 0 ? this.#table.voices : [...this.#table.voices, ...added];
  }

  find(name: string): Voice | undefined {
    return this.#byName.get(name.toLowerCase()) ?? this.#added.find(name.toLowerCase());
  }

  isFree(name: string): boolean {
    const retired = this.#table.retired.includes(name.toLowerCase());
    return this.find(name) === undefined && !retired && !HINDI.test(name) && !/^v[cd]_/.test(name);
  }

  /** Applies the rules of retired voices and bad Hindi ids to `find`. Throws ApiError for an unknown voice. */
  resolve(name: string): Voice {
    if (this.#table.retired.includes(name.toLowerCase())) {
      throw new ApiError('voice_retired', `The voice '${name}' is no longer available.`, { param: 'voice' });
    }
    const voice = this.find(name) ?? (HINDI.test(name) ? this.defaultFor('hi') : undefined);
    if (!voice)
      throw new ApiError(
        'voice_not_found',
        `There is no voice ${printableValue(name)}; GET /v1/voices lists them.`,
        {
          param: 'voice',
        },
      );
    return voice;
  }

  get default(): Voice {
    return this.#named(this.#table.default);
  }

  /** The default that serves `product`, or undefined where the language has none. */
  defaultFor(language: string, plan?: string, product: Product = 'speak'): Voice | undefined {
    const serves = (voice: Voice | undefined) => voice?.available_on.includes(product) === true;
    const chosen = this.#added.chosenFor(language, plan, this.#device());
    const voice = chosen === undefined ? undefined : this.find(chosen);
    if (serves(voice)) return voice;
    const name = this.#table.language_defaults[language];
    const bundled = name === undefined ? undefined : this.#named(name);
    if (serves(bundled)) return bundled;
    return this.#added.list.find((added) => added.language === language && serves(added));
  }

  /**
   * Why the operator may not make this voice the default of its language, or null. Calls are served in the languages
   * whose bundled voices have `omni`, and their default has to speak there too.
   */
  whyNotDefault({ id, language, available_on }: Voice): string | null {
    if (available_on.includes('omni')) return null;
    const isOfCalls = this.#table.voices.some(
      (other) => other.language === language && other.available_on.includes('omni'),
    );
    return isOfCalls
      ? `${id} is not offered in calls, which the default voice of ${language} speaks in: name it in the requests that it shall serve`
      : null;
  }

  #named(name: string): Voice {
    const voice = this.find(name);
    if (!voice) throw new RangeError(`expected a voice of models/voices.json, received '${name}'`);
    return voice;
  }

  #claim(name: string, voice: Voice): void {
    const other = this.#byName.get(name.toLowerCase());
    if (other)
      throw new RangeError(`models/voices.json gives the name '${name}' to ${other.id} and ${voice.id}`);
    this.#byName.set(name.toLowerCase(), voice);
  }
}
