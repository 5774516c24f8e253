import type { TenantScope } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { EngineVoice } from '../../../media/engine/index.ts';
import {
  isSpoken,
  type Pronunciation,
  type ServedVoice,
  stockVoice,
  type Voice,
  type VoiceCatalogue,
} from '../../../speech/voices/index.ts';

export interface CapableVoice {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly gender: 'female' | 'male' | null;
  readonly source: 'stock' | 'clone' | 'design';
  readonly emotions: readonly string[];
  readonly emphasis: boolean;
  readonly aliases: readonly string[];
}

const isCast = (voice: Voice): boolean => voice.available_on.includes('cast') && isSpoken(voice);

export class CastVoices {
  readonly #catalogue: VoiceCatalogue;

  constructor(catalogue: VoiceCatalogue) {
    this.#catalogue = catalogue;
  }

  ofLanguage(language: string): readonly Voice[] {
    return this.#catalogue.stock.list.filter((voice) => isCast(voice) && voice.language === language);
  }

  /** Resolves an id or an alias; an unknown name gets no default. */
  async resolve(scope: TenantScope, name: string, param: string): Promise<ServedVoice> {
    const stock = this.#catalogue.stock.find(name);
    if (stock !== undefined && isCast(stock)) {
      const voice = stockVoice(stock);
      return { ...voice, engine: await this.#catalogue.marked(scope, voice.engine) };
    }
    const own = stock === undefined ? await this.#catalogue.find(scope, name) : null;
    if (own !== null) return await this.#catalogue.resolve(scope, name);
    const message = `Cast has no voice '${name.slice(0, 64)}'; GET /v1/cast/capabilities lists the available voices.`;
    throw new ApiError('unsupported_voice', message, { param });
  }

  pronunciations(scope: TenantScope, language: string): Promise<readonly Pronunciation[]> {
    return this.#catalogue.pronunciations(scope, language);
  }

  async list(scope: TenantScope): Promise<readonly CapableVoice[]> {
    const { stock, store } = this.#catalogue;
    const own = [...(await store.clones(scope)), ...(await store.designed(scope))];
    return [
      ...stock.list.filter(isCast).map((voice) => ({
        ...capable(stockVoice(voice)),
        gender: voice.gender,
        source: 'stock' as const,
        aliases: voice.aliases,
      })),
      ...(await Promise.all(
        own.map(async ({ id, source }) => ({
          ...capable(await this.#catalogue.resolve(scope, id)),
          gender: null,
          source,
          aliases: [],
        })),
      )),
    ];
  }
}

/** Piper's model decides durations and pitch itself, so it cannot stress a word. */
export const stressesWords = ({ model, added }: EngineVoice): boolean =>
  model === 'kokoro' && added === undefined;

const capable = ({ id, name, language, emotions, engine }: ServedVoice) => ({
  id,
  name,
  language,
  emotions,
  emphasis: stressesWords(engine),
});
