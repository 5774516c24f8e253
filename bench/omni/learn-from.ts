/**
 * Writes the sounds from which signs of listening are learnt: `npm run bench -- omni/learn-from.ts FOLDER [SAMPLE] [--elsewhere]`, which
 * scripts/learn-listening.mjs runs. With SAMPLE only so many of each language's recordings and of its spoken phrases; with --elsewhere
 * what the nets of other languages than English learn from.
 */
import { parseArgs } from 'node:util';
import { writeClips } from './clips.ts';

const { values, positionals } = parseArgs({
  options: { elsewhere: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [folder, sample] = positionals;
if (folder === undefined) throw new Error('learn-from.ts FOLDER [SAMPLE] [--elsewhere]');
await writeClips(
  folder,
  sample === undefined ? Number.POSITIVE_INFINITY : Number(sample),
  values.elsewhere ? 'elsewhere' : 'first',
);
