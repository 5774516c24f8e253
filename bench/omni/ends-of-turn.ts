/**
 * Measures how soon and how rightly a call takes its caller to have finished: `npm run bench -- ends-of-turn` plays the
 * recordings of every language by native/test/measure/ends_of_turn.cc, in virtual time, about ten minutes. The C++ tests
 * must have been configured (build-native).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import { runBench } from '../harness/index.ts';
import { type Pause, writeEndsOfTurn } from './report/ends-of-turn.ts';

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl'] as const;
const QUICK_EVERY = '40';

const run = promisify(execFile);

await runBench('ends-of-turn', 'Omni: when a caller has finished', async (report, { quick, parts }) => {
  const unknown = parts.find((part) => !LANGUAGES.some((language) => language === part));
  if (unknown !== undefined) throw new Error(`no language ${unknown}: ${LANGUAGES.join(', ')}`);
  await run('ninja', ['-C', 'build-native', 'measure_ends_of_turn'], { cwd: PROJECT_ROOT });
  const pauses: Pause[] = [];
  for (const language of LANGUAGES.filter((one) => parts.length === 0 || parts.includes(one))) {
    const { stdout } = await run(
      'build-native/measure_ends_of_turn',
      quick ? [language, QUICK_EVERY] : [language],
      { cwd: PROJECT_ROOT, maxBuffer: 1 << 26 },
    );
    for (const line of stdout.split('\n').filter((one) => one !== ''))
      pauses.push({ language, ...(JSON.parse(line) as Omit<Pause, 'language'>) });
  }
  writeEndsOfTurn(report, pauses);
});
