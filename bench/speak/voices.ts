import type { EngineVoice } from '../../src/media/engine/index.ts';
import { isSpoken, stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';

export const RATE = 24_000;
export const FASTEST = 'joe_en_us';
export const KOKORO = 'heart_en_us';
export const HIBARI = 'hibari_en_us';
/** The p95 of the time to first audio in milliseconds, for any length of the first clause. */
export const FIRST_AUDIO_GOAL_MS: Readonly<Record<string, number>> = {
  [FASTEST]: 120,
  [HIBARI]: 120,
  [KOKORO]: 250,
};

const stock = new StockVoices();
export const voice = (name: string): EngineVoice => stockVoice(stock.resolve(name)).engine;

export const EVERY_VOICE: readonly string[] = stock.list
  .filter((voice) => isSpoken(voice) && voice.available_on.includes('speak'))
  .map(({ id }) => id);
