/**
 * Measures what a caller of /v1/omni hears, in a client's own playout buffer over an 8 kHz u-law line. `npm run bench
 * -- omni` runs every part, about 40 minutes; `npm run bench -- omni PART…` runs those named, and `report` none: the
 * report uses the last results of every part. `development` plays the recordings on which settings may be chosen, and
 * prints figures without a report.
 */
import { runBench } from '../harness/index.ts';
import { measurePart, PART_NAMES } from './parts.ts';
import { writeReport } from './report.ts';

await runBench('omni', 'Omni: what the caller hears', async (report, { quick, parts }) => {
  const words = [...PART_NAMES, 'report', 'development'];
  const unknown = parts.find((part) => !words.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${words.join(', ')}`);
  const run = parts.includes('development') ? 'development' : quick ? 'quick' : 'whole';
  const named = PART_NAMES.filter((name) => parts.includes(name));
  const chosen = parts.includes('report') || named.length > 0 ? named : PART_NAMES;
  for (const name of chosen) await measurePart(name, run);
  writeReport(report, run);
});
