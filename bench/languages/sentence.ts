import { atVoiceLevel, clipOf, LINE_RATE } from '../../src/apps/caller/index.ts';
import { type Engine, synthesizeJob } from '../../src/media/engine/index.ts';
import { stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';

const stock = new StockVoices();

export async function sentence(engine: Engine, voice: string, text: string): Promise<Int16Array> {
  const options = {
    voice: stockVoice(stock.resolve(voice)).engine,
    rate: LINE_RATE,
    format: 'pcm16',
  } as const;
  const bytes = Uint8Array.from(await engine.submit(synthesizeJob, options, Buffer.from(text)).result());
  const samples = new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
  return atVoiceLevel(clipOf({ path: text, kind: 'generated' }, samples)).samples;
}
