/**
 * Writes the sounds from which signs of listening are learnt: `npm run bench -- omni/learn-from.ts FOLDER [SAMPLE]`, which
 * scripts/learn-listening.mjs runs. With SAMPLE only so many of each language's recordings and of its spoken phrases.
 */
import { writeClips } from './clips.ts';

const [folder, sample] = process.argv.slice(2);
if (folder === undefined) throw new Error('learn-from.ts FOLDER [SAMPLE]');
await writeClips(folder, sample === undefined ? Number.POSITIVE_INFINITY : Number(sample));
