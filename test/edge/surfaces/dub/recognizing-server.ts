import { onTestFinished } from 'vitest';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { engineRecognizer, engineVoices } from '../../../../src/speech/transcription/index.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { OneAnswer, stage } from './server.ts';

export async function hearingStage() {
  const storage = await openStorage({ dataDir: ':memory:' });
  onTestFinished(() => storage.close());
  const engine = sharedEngine();
  await engine.prepared();
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
