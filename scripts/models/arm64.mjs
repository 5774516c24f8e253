/**
 * A cache for machines of arm64 beside this machine's own: the models of any platform are links to this machine's, and
 * programs and libraries are those of arm64. This machine's cache stays as it is.
 */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ensureModels } from './fetch.mjs';
import { defaultRoot, isOfAnyPlatform, packagesFolder, readManifest, selectModels } from './layout.mjs';

export const ARM64 = 'linux-arm64';

export async function modelsForArm64(root, log) {
  const folder = join(root, 'build-arm64-models');
  mkdirSync(folder, { recursive: true });
  const manifest = readManifest();
  const models = selectModels(manifest);
  for (const { id } of models.filter(isOfAnyPlatform))
    if (!existsSync(join(folder, id))) symlinkSync(join(defaultRoot(), id), join(folder, id));
  const own = models.filter((model) => !isOfAnyPlatform(model));
  await ensureModels({ manifest, models: own, root: folder, from: packagesFolder(), log, platform: ARM64 });
  return folder;
}
