import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { AudioDecoder, findFfmpeg } from '../../../src/media/codec/index.ts';

export function decoderFor(folder: string): AudioDecoder {
  const program = findFfmpeg(null, new Models({ root: loadConfig({}).models }));
  if (!program) throw new Error('ffmpeg is missing: node scripts/setup.mjs fetches it with the models');
  return new AudioDecoder({ ffmpeg: program.path, temporary: folder, atOnce: 2 });
}
