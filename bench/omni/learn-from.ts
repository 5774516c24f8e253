/**
 * Writes the sounds for training the backchannel nets: `npm run bench -- omni/learn-from.ts FOLDER [SAMPLE]
 * [--elsewhere]`, which scripts/learn-listening.mjs runs. SAMPLE limits each language's recordings and its generated
 * phrases; --elsewhere writes the sounds for the nets of languages other than English.
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
