import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_PACKAGE } from '../../foundation/platform/engine-package.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { CliContext } from './command.ts';
import { runFetcher } from './models-handlers.ts';

/** It brings the packages and builds the engine, with the libraries that the system has now. */
const SET_UP = join(PROJECT_ROOT, 'scripts/setup.mjs');

/**
 * Mends what this user can: a checkout is set up again, and models are read whole and fetched where they are not as they
 * were pinned. Packages of the system need root: their commands stand in the findings.
 */
export async function mend(context: CliContext): Promise<void> {
  if (ENGINE_PACKAGE === undefined && existsSync(SET_UP)) {
    context.error('doctor: setting this checkout up again');
    await ended([SET_UP]);
  }
  context.error('doctor: reading the models');
  await runFetcher(context, {}, ['--verify']);
}

const ended = (args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('close', () => resolve());
  });
