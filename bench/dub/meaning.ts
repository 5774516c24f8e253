import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, embedTexts } from '../../src/media/engine/index.ts';
import { ApertiumTranslator } from '../../src/products/dub/index.ts';

export interface TranslatedSpeech {
  readonly source: string;
  readonly target: string;
  readonly text: string;
  readonly spoken: string;
}

const signal = new AbortController().signal;

export class Meaning {
  readonly #translator = new ApertiumTranslator(loadConfig({}).apertium);
  readonly #engine: Engine;

  constructor() {
    const files = Object.entries(new Models().wholeFiles()).filter(([name]) => name.startsWith('minilm-l6'));
    this.#engine = new Engine({ models: Object.fromEntries(files) });
  }

  /**
   * It compares the spoken words with Apertium's translation of the dub back to English, where English is the source.
   * Where English is the target, it compares the dub with Apertium's English of the spoken words, because Whisper
   * translates into no other language. It returns null where Apertium lacks the pair.
   */
  async score({ source, target, text, spoken }: TranslatedSpeech): Promise<number | null> {
    const [foreign, english] = source === 'en' ? [spoken, text] : [text, spoken];
    const language = source === 'en' ? target : source;
    const offer = (await this.#offers()).find((one) => one.source === language && one.target === 'en');
    if (offer === undefined) return null;
    const what = { text: foreign, before: '', glossary: {}, mostCharacters: null, sound: null };
    const brought = await this.#translator.translate(offer, what, signal);
    return await this.alike(brought, english);
  }

  async alike(text: string, concurrent: string): Promise<number> {
    await this.#engine.prepared();
    const [one, other] = await embedTexts(this.#engine, [text, concurrent], { live: false });
    return one!.reduce((so, value, at) => so + value * other![at]!, 0);
  }

  #known: ReturnType<ApertiumTranslator['offers']> | null = null;
  #offers(): ReturnType<ApertiumTranslator['offers']> {
    this.#known ??= this.#translator.offers(signal);
    return this.#known;
  }

  close(): void {
    this.#engine.destroy();
  }
}
