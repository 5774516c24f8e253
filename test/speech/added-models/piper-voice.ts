import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
// @ts-expect-error: it has no types
import { defaultRoot } from '../../../scripts/models/layout.mjs';
// @ts-expect-error: it has no types
import { recipePackages } from '../../../scripts/models/recipes.mjs';
import { Models } from '../../../src/foundation/platform/models/index.ts';

const models = new Models();
const missing = [
  'piper-joe',
  'kokoro',
  'hibari',
  'espeak-ng',
  'whisper-base',
  'moonshine-tiny-en',
  'silero-vad',
].filter((id) => !models.status(id).ready);

/** It names what is missing, and is undefined where the tests can run. With CI=true the tests fail instead. */
export const absent: string | undefined =
  missing.length === 0 || process.env.CI === 'true'
    ? undefined
    : `models ${missing.join(', ')} are absent: run npm start once`;
if (absent) console.warn(`tests of added voices are skipped: ${absent}`);

export interface VoiceOptions {
  readonly speakers?: number;
  readonly language?: string;
  readonly espeak?: string;
}

export async function piperVoice(folder: string, options: VoiceOptions = {}): Promise<string> {
  const { speakers = 1, language = 'en', espeak = 'en-us' } = options;
  const settings = models.path('piper-joe/joe.json');
  const packages: string = await recipePackages(defaultRoot(), () => undefined);
  execFileSync(
    'python3',
    [
      join(import.meta.dirname, 'piper_voice.py'),
      dirname(settings),
      settings,
      folder,
      String(speakers),
      language,
      espeak,
    ],
    { env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' }, stdio: 'pipe' },
  );
  return join(folder, `${language}_XX-test-medium.onnx`);
}
