/** The stock voices of models/voices.json: what each is, by which names it goes, and how it is spoken. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../foundation/platform/errors.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { AddedEngineVoice } from '../../media/engine/index.ts';

export type Tier = 'standard' | 'natural';
export type Product = 'speak' | 'omni' | 'cast';
/** The products that the server really serves; a test holds it to the routes. A product that is added here wants a new
 * reference pack: node scripts/publish-reference.mjs. */
export const PRODUCTS: readonly Product[] = ['speak', 'omni', 'cast'];
export const EMOTIONS = ['neutral', 'warm', 'cheerful', 'calm', 'serious', 'sad'] as const;
export type Emotion = (typeof EMOTIONS)[number];

export interface Voice {
  /** Canonical: NAME_LANGUAGE_COUNTRY. */
  readonly id: string;
  readonly name: string;
  readonly language: string;
  /** A voice that the operator added may not say its region and gender: they are null. */
  readonly region: string | null;
  readonly gender: 'female' | 'male' | null;
  readonly tier: Tier;
  readonly emotions: readonly Emotion[];
  readonly aliases: readonly string[];
  /** Speaks a language that its model was not taught, by the nearest sounds: not yet shown to be understood. */
  readonly experimental?: true;
  readonly available_on: readonly Product[];
  readonly synthesis: {
    /** The model's id in the manifest. */
    readonly model: string;
    /** Manifest path of the voice's style table, where the model takes one. */
    readonly style?: string;
    /** The phonemizer's voice; absent: no text of this language can be read aloud yet. */
    readonly phonemes?: string;
    /** Only voices that the operator added have it. */
    readonly added?: AddedEngineVoice;
  };
}

interface Table {
  /** The voice of an account that chose none. */
  readonly default: string;
  readonly language_defaults: Readonly<Record<string, string>>;
  readonly retired: readonly string[];
  readonly voices: readonly Voice[];
}

const TABLE = join(PROJECT_ROOT, 'models/voices.json');
/** "A bad Hindi id serves the default": whatever is an alias or an id of a Hindi voice by its form never fails. */
const HINDI = /^hi[-_]?\d*$|_hi_in$/i;

/** The voices that the operator added, as they are at this moment. */
export interface AddedVoiceSource {
  readonly list: readonly Voice[];
  find(name: string): Voice | undefined;
  /** The id of the voice that the operator chose for a language. */
  chosenFor(language: string): string | undefined;
}

const NONE: AddedVoiceSource = { list: [], find: () => undefined, chosenFor: () => undefined };

export class StockVoices {
  readonly #table: Table;
  readonly #added: AddedVoiceSource;
  readonly #byName = new Map<string, Voice>();

  constructor(location: string | URL = TABLE, added: AddedVoiceSource = NONE) {
    this.#table = JSON.parse(readFileSync(location, 'utf8')) as Table;
    this.#added = added;
    for (const voice of this.#table.voices)
      for (const name of [voice.id, ...voice.aliases]) this.#claim(name, voice);
  }

  /** Those of the table, then those that the operator added. */
  get list(): readonly Voice[] {
    const added = this.#added.list;
    return added.length === 0 ? this.#table.voices : [...this.#table.voices, ...added];
  }

  /** By id or alias, in whatever case; undefined: no stock voice goes by that name. */
  find(name: string): Voice | undefined {
    return this.#byName.get(name.toLowerCase()) ?? this.#added.find(name.toLowerCase());
  }

  /** Whether a voice that is added may go by this name. */
  isFree(name: string): boolean {
    const retired = this.#table.retired.includes(name.toLowerCase());
    return this.find(name) === undefined && !retired && !HINDI.test(name) && !/^v[cd]_/.test(name);
  }

  /** As `find`, with the rules of retired voices and bad Hindi ids. Throws ApiError where nothing can be served. */
  resolve(name: string): Voice {
    if (this.#table.retired.includes(name.toLowerCase())) {
      throw new ApiError('voice_retired', `The voice '${name}' is no longer served.`, { param: 'voice' });
    }
    const voice = this.find(name) ?? (HINDI.test(name) ? this.defaultFor('hi') : undefined);
    if (!voice) throw new ApiError('voice_not_found', 'There is no such voice.', { param: 'voice' });
    return voice;
  }

  get default(): Voice {
    return this.#named(this.#table.default);
  }

  /** The voice that speaks a language when none was chosen; undefined: no stock voice speaks it. */
  defaultFor(language: string): Voice | undefined {
    const chosen = this.#added.chosenFor(language);
    const voice = chosen === undefined ? undefined : this.find(chosen);
    if (voice !== undefined) return voice;
    const name = this.#table.language_defaults[language];
    if (name !== undefined) return this.#named(name);
    return this.#added.list.find((added) => added.language === language);
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
