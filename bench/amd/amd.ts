/**
 * The benchmark plays every class of answer over a telephone line, and compares the verdicts of the detector, of a
 * cadence rule and of a word rule on the same samples. `npm run bench -- amd` plays the held-out half and measures
 * the load; `npm run bench -- amd fitted` plays the half on which settings may be chosen and prints its figures;
 * `more` resumes an interrupted run; `report` decides again from the last evidence. Hold music is Debian's package
 * asterisk-moh-opsound-wav; without it that part is left out.
 */
import { answerModel, DEFAULTS, holdModel } from '../../src/speech/amd/index.ts';
import { runBench } from '../harness/index.ts';
import { forget, hearAll, stored, trialsOf } from './evidence.ts';
import { holdPart } from './hold-music.ts';
import { judgeAll } from './judge-trials.ts';
import { loadPart } from './load.ts';
import type { Half } from './recordings.ts';
import { printMisjudged, reportTrials } from './report.ts';

const PARTS = ['fitted', 'more', 'report', 'wrong'];

await runBench('amd', 'Who answered', async (report, { quick, parts }) => {
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${PARTS.join(', ')}`);
  const models = { answers: answerModel(), holds: holdModel() };
  const half: Half = parts.includes('fitted') ? 'fitted' : 'held-out';
  const again = parts.includes('report');
  if (!again && !parts.includes('more')) forget(half);
  const heard = again ? stored(half) : await hearAll(half, await trialsOf(half, quick));
  const judged = judgeAll(heard, models, DEFAULTS);
  if (parts.includes('wrong')) printMisjudged(judged);
  reportTrials(report, judged, half);
  if (half === 'fitted') return;
  await holdPart(report, models, quick);
  if (!again) await loadPart(report, quick);
});
