/** Runs each bundled program once: an intact file may still fail on this machine. */
import { tmpdir } from 'node:os';
import type { Config } from '../../foundation/platform/config/index.ts';
import type { Models } from '../../foundation/platform/models/index.ts';
import { AudioDecoder, findFfmpeg, wavHeader } from '../../media/codec/index.ts';
import { pronounceOnce } from '../../media/engine/index.ts';

export interface DoctorFinding {
  readonly name: string;
  readonly works: boolean;
  readonly required: boolean;
  readonly detail?: string;
}

const PHRASE = 'Good morning';
const RATE = 16_000;
/** Sandbox keys' files are decoded at the lowest priority, which one more program of the system sets. */
const LOWEST = { tenant: 'doctor', use: 'sync', trial: true } as const;

export async function programFindings(config: Config, models: Models): Promise<DoctorFinding[]> {
  return [
    await finding('phonemes', () => phonemes(models)),
    await finding('ffmpeg', () => decoding(config, models)),
  ];
}

async function finding(name: string, trial: () => Promise<string>): Promise<DoctorFinding> {
  try {
    return { name, works: true, required: true, detail: await trial() };
  } catch (error) {
    return { name, works: false, required: true, detail: (error as Error).message };
  }
}

async function phonemes(models: Models): Promise<string> {
  const { ready, detail } = models.status('espeak-ng');
  if (!ready) throw new Error(detail);
  const ipa = await pronounceOnce({
    library: models.path('espeak-ng/libespeak-ng.so.1'),
    data: models.folder('espeak-ng'),
    voice: 'en-us',
    text: PHRASE,
  });
  return `“${PHRASE}” is ${ipa}`;
}

async function decoding(config: Config, models: Models): Promise<string> {
  const program = findFfmpeg(config.ffmpeg, models);
  if (!program) throw new Error('ffmpeg is missing; fetch it with: npx trunkline models fetch');
  const decoder = new AudioDecoder({ ffmpeg: program.path, temporary: tmpdir(), atOnce: 1 });
  const samples = Int16Array.from({ length: RATE / 10 }, (_, i) => 8000 * Math.sin(i / 5));
  const bytes = Buffer.from(samples.buffer);
  const header = wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, bytes.length);
  const { pcm } = await decoder.decode(
    { bytes: Buffer.concat([header, bytes]) },
    { sampleRate: RATE, channels: 'mix', sample: 's16', maxSeconds: 1, priority: LOWEST },
  );
  let received = 0;
  for await (const chunk of pcm) received += chunk.length;
  if (received !== bytes.length)
    throw new Error(`${program.path} decodes ${received} of ${bytes.length} bytes`);
  return `${program.path} decodes`;
}
