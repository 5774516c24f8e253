import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Models } from '../../foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { CliContext } from './command.ts';
import { deviceFindings } from './doctor-device.ts';
import { findingLine } from './doctor-line.ts';
import type { GpuInstallOptions } from './gpu.ts';

const INSTALLER = join(PROJECT_ROOT, 'scripts/gpu-runtime.mjs');

export async function install(context: CliContext, { dryRun, from }: GpuInstallOptions): Promise<void> {
  const config = context.config();
  const packages = from ?? config.modelsFrom;
  const args = ['install', ...(dryRun ? ['--dry-run'] : []), ...(packages ? ['--from', packages] : [])];
  const code = await runInstaller(context, args);
  context.exit(code);
  if (code !== 0 || dryRun) return;
  for (const finding of deviceFindings(config)) context.out(findingLine(finding));
}

export async function uninstall(context: CliContext): Promise<void> {
  context.exit(await runInstaller(context, ['uninstall']));
}

function runInstaller(context: CliContext, args: readonly string[]): Promise<number> {
  const { root } = new Models({ root: context.config().models });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [INSTALLER, ...args, '--root', root], {
      stdio: 'inherit',
      env: context.environment,
    });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
