import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Engine, EngineVoice } from '../../../media/engine/index.ts';
import {
  isSpoken,
  type ServedVoice,
  type StockVoices,
  stockVoice,
  type VoiceFitter,
} from '../../../speech/voices/index.ts';
import type { CastVoice } from '../contract.ts';
import { chooseVoices } from './choose.ts';
import { describe, sayForListening, type VoiceProfile } from './speaking.ts';
import { VoiceProfileCache } from './voice-profile-cache.ts';

/** The sentences are just long enough to measure a voice. */
const SENTENCES: Readonly<Record<string, string>> = {
  en: 'The river runs along the old wall, where people walk in the evening.',
  es: 'El río corre junto al muro viejo, y la gente pasea por la tarde.',
  fr: 'La rivière longe le vieux mur, où les gens se promènent le soir.',
  it: 'Il fiume corre lungo il vecchio muro, dove la gente passeggia la sera.',
  pt: 'O rio corre junto ao muro velho, onde as pessoas passeiam à tarde.',
  de: 'Der Fluss läuft an der alten Mauer entlang, wo abends Leute gehen.',
  hi: 'नदी पुरानी दीवार के साथ बहती है, जहाँ लोग शाम को टहलते हैं।',
  ru: 'Река течёт вдоль старой стены, где люди гуляют по вечерам.',
  ko: '강은 오래된 벽을 따라 흐르고, 사람들은 저녁에 그곳을 걷는다.',
  zh: '河水沿着古老的城墙流淌，人们傍晚在那里散步。',
  ja: '川は古い壁に沿って流れ、人々は夕方そこを歩く。',
};

/** Speakers below this pitch are matched with male voices; the catalogue says which voices are. */
const LOW_HZ = 165;
/** The number of voices of one gender that are compared, because the first dub of a language waits for all of them. */
const MOST_COMPARED = 6;

export interface SpeakerSample {
  readonly speaker: string;
  /** PCM16 at 16 kHz of this speaker alone. */
  readonly pcm: Buffer;
}

/** Casts voices by language and similarity. The profiles of stock voices are measured once. */
export class DubVoices {
  readonly #engine: Engine;
  readonly #stock: StockVoices;
  readonly #fitter: VoiceFitter;
  readonly #known = new Map<string, Promise<VoiceProfile>>();

  readonly #profiles: VoiceProfileCache;

  constructor(engine: Engine, stock: StockVoices, fitter: VoiceFitter, profiles: string) {
    this.#profiles = new VoiceProfileCache(profiles);
    this.#engine = engine;
    this.#stock = stock;
    this.#fitter = fitter;
  }

  speaks = (language: string): boolean => this.#of(language).length > 0;

  sample(language: string, text: string, signal: AbortSignal): Promise<Buffer> {
    const voice = this.#of(language)[0];
    if (voice === undefined) throw new ApiError('voice_not_found', `No voice speaks ${language}.`);
    return sayForListening(this.#engine, voice.engine, text, signal);
  }

  /** Casts a voice for each speaker; with `consent`, voices may be made from theirs. */
  async cast(
    sounds: readonly SpeakerSample[],
    target: string,
    consent: boolean,
    signal: AbortSignal,
  ): Promise<readonly CastVoice[]> {
    const heard: (VoiceProfile & { readonly name: string })[] = [];
    for (const { speaker, pcm } of sounds) {
      heard.push({ name: speaker, ...(await describe(this.#engine, pcm, this.#any, signal)) });
    }
    const voices = this.#candidates(target, heard);
    const known: VoiceProfile[] = [];
    for (const voice of voices) known.push(await this.#knownOf(voice, signal));
    const choices = chooseVoices(heard, known);
    const cast: CastVoice[] = [];
    for (const [at, { voice, pitch, likeness: similarity }] of choices.entries()) {
      const { speaker, pcm } = sounds[at] as SpeakerSample;
      const stock = voices[voice] as ServedVoice;
      const speakerPitch = heard[at]?.pitchHz ?? null;
      const own = consent ? await this.#fitted(pcm, signal) : null;
      const chosen = {
        speaker,
        voice: stock.id as string | null,
        name: stock.name,
        manner: { pitch },
        styles: null,
        pitch_hz: rounded(speakerPitch),
        voice_pitch_hz: rounded(known[voice]?.pitchHz ?? null),
        likeness: similarity === null ? null : Math.round(similarity * 100) / 100,
      };
      cast.push(own === null ? chosen : { ...chosen, ...own, voice: null, name: `like ${speaker}` });
    }
    return cast;
  }

  engineVoice(cast: CastVoice, target: string): EngineVoice {
    const base = this.#of(target).find(({ id }) => id === cast.voice) ?? this.#of(target)[0];
    if (base === undefined) throw new ApiError('voice_not_found', `No voice speaks ${target}.`);
    return { ...base.engine, manner: cast.manner, ...(cast.styles === null ? {} : { styles: cast.styles }) };
  }

  get #any(): EngineVoice {
    return stockVoice(this.#stock.default).engine;
  }

  #of(language: string): readonly ServedVoice[] {
    return this.#stock.list
      .filter(
        (voice) => voice.language === language && voice.available_on.includes('speak') && isSpoken(voice),
      )
      .map(stockVoice);
  }

  /** Takes the language's first voices of the genders that were heard; all voices where a gender has none. */
  #candidates(language: string, heard: readonly VoiceProfile[]): readonly ServedVoice[] {
    const kinds = new Set(heard.map(({ pitchHz }) => pitchHz !== null && pitchHz < LOW_HZ));
    const all = this.#of(language);
    const chosen = [...kinds].flatMap((low) => {
      const kind = all.filter(({ id }) => (this.#stock.find(id)?.gender === 'male') === low);
      return (kind.length > 0 ? kind : all).slice(0, MOST_COMPARED);
    });
    return [...new Set(chosen)];
  }

  #knownOf(voice: ServedVoice, signal: AbortSignal): Promise<VoiceProfile> {
    const known = this.#known.get(voice.id);
    if (known) return known;
    const described = this.#describe(voice, signal);
    this.#known.set(voice.id, described);
    described.catch(() => this.#known.delete(voice.id));
    return described;
  }

  async #describe({ id, engine, language }: ServedVoice, signal: AbortSignal): Promise<VoiceProfile> {
    const profiles = await this.#profiles.get(id);
    if (profiles) return profiles;
    const pcm = await sayForListening(this.#engine, engine, SENTENCES[language] ?? '', signal);
    const described = await describe(this.#engine, pcm, this.#any, signal);
    await this.#profiles.put(id, described);
    return described;
  }

  /** Returns null where the speaker's audio is not usable. */
  async #fitted(
    pcm: Buffer,
    signal: AbortSignal,
  ): Promise<Pick<CastVoice, 'manner' | 'styles' | 'likeness'> | null> {
    try {
      const { voice, measured } = await this.#fitter.fit(pcm, signal);
      return { manner: voice.manner ?? {}, styles: voice.styles, likeness: measured.similarity ?? null };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_voice_sample') return null;
      throw error;
    }
  }
}

const rounded = (hertz: number | null): number | null => (hertz === null ? null : Math.round(hertz));
