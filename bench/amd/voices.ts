/**
 * The product's own Speak says the phrases of the corpus. The same words in the same voice give the same samples, so
 * they are cached.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings, synthesizeJob } from '../../src/media/engine/index.ts';
import { stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';
import { VOICES } from '../omni/corpus.ts';
import type { Half } from './recordings.ts';
import { LINE_RATE, levelOf } from './sound.ts';

const FOLDER = join('build-bench', 'amd-voices');
const AT_ONCE = 2;
const SILENT_DBFS = -60;

/**
 * English has two halves of voices. The other languages have too few voices to split, so only their phrases are
 * split.
 */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  es: ['dora_es_es', 'alex_es_es', 'santa_es_es'],
  fr: ['siwis_fr_fr'],
  hi: ['alpha_hi_in', 'beta_hi_in', 'omega_hi_in', 'psi_hi_in'],
  it: ['sara_it_it', 'nicola_it_it'],
  pt: ['dora_pt_br', 'alex_pt_br', 'santa_pt_br'],
  de: ['emma_de_de'],
};

export const voicesOf = (lang: string, half: Half): readonly string[] =>
  lang === 'en' ? VOICES[half === 'fitted' ? 'development' : 'held-out'] : (OTHERS[lang] ?? []);

export interface Spoken {
  readonly voice: string;
  readonly text: string;
}

function fileOf({ voice, text }: Spoken): string {
  const said = createHash('sha256').update(JSON.stringify([voice, text]));
  return join(FOLDER, `${said.digest('hex').slice(0, 24)}.raw`);
}

export async function speakAll(wanted: readonly Spoken[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const queue = wanted.filter((one) => !existsSync(fileOf(one))).values();
  const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(FOLDER) });
  // The engine alone does not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  const stock = new StockVoices();
  const work = async (): Promise<void> => {
    for (const one of queue) {
      const { engine: voice } = stockVoice(stock.resolve(one.voice));
      const job = engine.submit(
        synthesizeJob,
        { voice, rate: LINE_RATE, format: 'pcm16' },
        Buffer.from(one.text),
      );
      writeFileSync(fileOf(one), await job.result());
    }
  };
  try {
    await engine.prepared();
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
}

/** Returns null where the phrase is not cached, or the voice got the words wrong, as may happen with a single word. */
export function spokenBefore(spoken: Spoken): Int16Array | null {
  if (!existsSync(fileOf(spoken))) return null;
  const bytes = Uint8Array.from(readFileSync(fileOf(spoken)));
  const samples = new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
  return samples.length === 0 || levelOf(samples) <= SILENT_DBFS ? null : samples;
}
