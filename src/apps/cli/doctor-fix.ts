import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_PACKAGE } from '../../foundation/platform/engine-package.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { CliContext } from './command.ts';
import { runFetcher } from './models-handlers.ts';

const SET_UP = join(PROJECT_ROOT, 'scripts/setup.mjs');

/**
 * Repairs what this user can: it repeats the setup of a checkout, and verifies every model and fetches damaged ones.
 * System packages need root, so the findings contain their commands.
 */
export async function mend(context: CliContext): Promise<void> {
  if (ENGINE_PACKAGE === undefined && existsSync(SET_UP)) {
    context.error('doctor: setting up this checkout again');
    await ended([SET_UP]);
  }
  context.error('doctor: verifying the models');
  await runFetcher(context, {}, ['--verify']);
}

const ended = (args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('close', () => resolve());
  });
