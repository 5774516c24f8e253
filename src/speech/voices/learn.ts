import { type Engine, learnVoiceJob, SPEECH_LANGUAGES } from '../../media/engine/index.ts';
import { stockVoice } from './catalogue.ts';
import type { StockVoices } from './stock.ts';

/** Learns the default voice and each language's default before the first request, one by one at offline priority. */
export async function learnDefaults(engine: Engine, stock: StockVoices, signal: AbortSignal): Promise<void> {
  const kinds = await engine.prepared();
  if (kinds.find(({ name }) => name === learnVoiceJob.name)?.readiness !== 'ready') return;
  const wanted = [stock.default, ...SPEECH_LANGUAGES.map((language) => stock.defaultFor(language))];
  const voices = new Set(wanted.filter((voice) => voice !== undefined));
  for (const voice of voices) {
    if (signal.aborted) return;
    await engine.submit(learnVoiceJob, { voice: stockVoice(voice).engine }, Buffer.alloc(0), signal).result();
  }
}
