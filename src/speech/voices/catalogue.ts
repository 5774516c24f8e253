import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { printableValue } from '../../foundation/platform/printable.ts';
import type { EngineVoice, SpeechLanguage } from '../../media/engine/index.ts';
import { SPEECH_LANGUAGES } from '../../media/engine/index.ts';
import { type Pronunciation, pronunciationsIn } from './pronunciations.ts';
import type { Emotion, Product, StockVoices, Tier, Voice } from './stock.ts';
import type { OwnVoice, VoiceStore } from './store.ts';

export interface ServedVoice {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly tier: Tier;
  readonly emotions: readonly Emotion[];
  readonly availableOn: readonly Product[];
  readonly engine: EngineVoice;
}

export interface VoiceItem {
  id: string;
  object: 'voice';
  name: string;
  language: string;
  tier: Tier;
  available_on: Product[];
  region: string | null;
  gender: 'female' | 'male' | null;
  emotions: string[];
  aliases: string[];
  similarity?: number;
  note?: string;
  warning?: string;
  description?: string;
  metadata?: Record<string, unknown>;
}

export type CloneVoiceItem = VoiceItem & { similarity: number; note: string };

export interface VoiceWatermarks {
  codeFor(orgId: string): Promise<string | null>;
}

const OWN = /^(vc|vd)_/;
const OWN_EMOTIONS: readonly Emotion[] = ['neutral', 'warm', 'cheerful', 'calm', 'serious', 'sad'];

const OWN_PRODUCTS: readonly Product[] = ['speak', 'omni', 'cast'];

export class VoiceCatalogue {
  readonly stock: StockVoices;
  readonly store: VoiceStore;

  readonly #marks: VoiceWatermarks | null;

  constructor(stock: StockVoices, store: VoiceStore, marks: VoiceWatermarks | null = null) {
    this.stock = stock;
    this.store = store;
    this.#marks = marks;
  }

  /**
   * Resolves an id or alias, or the account's default where the name is absent. Another organization's voice is
   * unknown here.
   */
  async resolve(scope: TenantScope, name: string | undefined): Promise<ServedVoice> {
    const voice = await this.#named(scope, name);
    return { ...voice, engine: await this.marked(scope, voice.engine) };
  }

  async pronunciations(scope: TenantScope, language: string): Promise<readonly Pronunciation[]> {
    return pronunciationsIn(language, await this.store.pronunciations(scope));
  }

  async marked(scope: TenantScope, engine: EngineVoice): Promise<EngineVoice> {
    const mark = (await this.#marks?.codeFor(scope.org)) ?? null;
    return mark === null ? engine : { ...engine, mark };
  }

  async #named(scope: TenantScope, name: string | undefined): Promise<ServedVoice> {
    const wanted = name ?? (await this.store.defaultVoice(scope)) ?? this.stock.default.id;
    if (OWN.test(wanted)) {
      const own = await this.store.voice(scope, wanted);
      if (own) return ownVoice(own);
      // A default that was deleted must not silence the account.
      if (name === undefined) return stockVoice(this.stock.default);
      throw new ApiError('voice_not_found', `There is no voice ${printableValue(wanted)}.`, {
        param: 'voice',
      });
    }
    const voice = this.stock.resolve(wanted);
    if (!voice.available_on.includes('speak') || !isSpoken(voice)) {
      throw new ApiError('voice_not_found', `The voice '${wanted}' does not work in Speak.`, {
        param: 'voice',
      });
    }
    return stockVoice(voice);
  }

  async find(scope: TenantScope, id: string): Promise<VoiceItem | null> {
    const own = OWN.test(id) ? await this.store.voice(scope, id) : null;
    if (!own) return null;
    return own.source === 'clone' ? cloneItem(own) : designedItem(own);
  }
}

export const isSpoken = ({ language, synthesis }: Voice): boolean =>
  synthesis.added !== undefined || SPEECH_LANGUAGES.includes(language as SpeechLanguage);

export function stockVoice(voice: Voice): ServedVoice {
  const { model, style, phonemes, added } = voice.synthesis;
  const name = style?.slice(style.lastIndexOf('/') + 1).replace(/\.bin$/, '');
  return {
    id: voice.id,
    name: voice.name,
    language: voice.language,
    tier: voice.tier,
    emotions: voice.emotions,
    availableOn: voice.available_on,
    engine: {
      model: model.startsWith('piper') ? 'piper' : model === 'hibari' ? 'hibari' : 'kokoro',
      language: voice.language,
      accent: phonemes ?? voice.language,
      ...(added ? { added } : {}),
      styles: name ? [{ name, share: 1 }] : [],
    },
  };
}

const ownVoice = (own: OwnVoice): ServedVoice => ({
  id: own.id,
  name: own.name,
  language: own.engine.language,
  tier: 'natural',
  emotions: OWN_EMOTIONS,
  availableOn: OWN_PRODUCTS,
  engine: own.engine,
});

/**
 * Recordings of two people have a similarity of about 0.3, of one person 0.8; below this the clone does not resemble
 * its source.
 */
const UNLIKE_SOURCE = 0.45;
const SIMILAR = 'A similar voice, blended from stock styles; it is not a copy of the speaker’s voice.';

export function cloneItem(own: OwnVoice): CloneVoiceItem {
  const similarity = Number(own.meta.similarity);
  const warning =
    `The speaker similarity is low: ${similarity.toFixed(2)}. Two strangers reach about 0.3, and two recordings of one speaker 0.8. ` +
    'The embedded engine has no style near to this speaker.';
  return { ...ownItem(own), similarity, note: SIMILAR, ...(similarity < UNLIKE_SOURCE ? { warning } : {}) };
}

const designedItem = (own: OwnVoice): VoiceItem => ({
  ...ownItem(own),
  description: String(own.meta.description ?? ''),
  metadata: (own.meta.metadata ?? {}) as Record<string, unknown>,
});

const ownItem = (own: OwnVoice): VoiceItem => ({
  id: own.id,
  object: 'voice',
  name: own.name,
  language: own.engine.language,
  tier: 'natural',
  available_on: [...OWN_PRODUCTS],
  region: null,
  gender: null,
  emotions: [...OWN_EMOTIONS],
  aliases: [],
});
