import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Models } from '../../foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { CliContext } from './command.ts';
import { deviceFindings } from './doctor-device.ts';
import { findingLine } from './doctor-line.ts';
import type { GpuInstallOptions } from './gpu.ts';

const INSTALLER = join(PROJECT_ROOT, 'scripts/gpu-runtime.mjs');
const FETCHER = join(PROJECT_ROOT, 'scripts/fetch-models.mjs');
/** The forms of models that run on a GPU, made by their recipes. */
const FORMS = ['whisper-base-gpu', 'moonshine-tiny-en-gpu', 'kokoro-gpu'];

export async function install(context: CliContext, { dryRun, from }: GpuInstallOptions): Promise<void> {
  const config = context.config();
  const packages = from ?? config.modelsFrom;
  const source = packages ? ['--from', packages] : [];
  const code = await run(context, INSTALLER, ['install', ...(dryRun ? ['--dry-run'] : []), ...source]);
  context.exit(code);
  if (code !== 0) return;
  if (dryRun) {
    context.out(
      `gpu: ${FORMS.join(', ')}, the forms for a GPU, would be made from 281 MB of published weights`,
    );
    return;
  }
  context.out(`gpu: making ${FORMS.join(', ')}, the forms for a GPU`);
  const made = await run(context, FETCHER, ['--only', FORMS.join(','), ...source]);
  if (made !== 0) {
    context.exit(made);
    return;
  }
  for (const finding of deviceFindings(config)) context.out(findingLine(finding));
}

export async function uninstall(context: CliContext): Promise<void> {
  context.exit(await run(context, INSTALLER, ['uninstall']));
}

function run(context: CliContext, script: string, args: readonly string[]): Promise<number> {
  const { root } = new Models({ root: context.config().models });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args, '--root', root], {
      stdio: 'inherit',
      env: context.environment,
    });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
