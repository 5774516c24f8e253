import { onTestFinished } from 'vitest';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { engineRecognizer, engineVoices } from '../../../../src/speech/transcription/index.ts';
import { OneAnswer, sharedEngine, stage } from './server.ts';

/** A stage whose recordings are really heard, and whose every sentence is translated to one answer. */
export async function hearingStage() {
  const storage = await openStorage({ dataDir: ':memory:' });
  onTestFinished(() => storage.close());
  const engine = await sharedEngine();
  return await stage({
    storage,
    script: () => ({ text: '' }),
    translators: [new OneAnswer('model', {})],
    hears: { recognizer: engineRecognizer(engine), voiceReader: engineVoices(engine) },
    after: (step) =>
      onTestFinished(async () => {
        await step();
      }),
  });
}
