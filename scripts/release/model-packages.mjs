/**
 * Packs each model as an npm package of the files that the engine reads, so that a first start runs no recipe and
 * needs neither Python nor pip. The version contains the digest of the files: a release with an unchanged model
 * refers to the same package.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  hostPlatform,
  insideModel,
  isOfAnyPlatform,
  modelDigest,
  modelFolder,
  servedFiles,
} from '../models/layout.mjs';
import { copy, put } from './product.mjs';
import { integrityOf, packTarball } from './tarball.mjs';

/** Compression hardly shrinks these archives, so they use the fastest level. */
const LEVEL = 1;

export const modelPackage = (model, platform) => ({
  name: `@trunkline/model-${model.id}${isOfAnyPlatform(model) ? '' : `-${platform}`}`,
  version: `0.0.0-d${modelDigest(model, platform)}`,
});

export const tarballName = ({ name, version }) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;

export async function packModel(model, { root, cache, out, work, log, platform = hostPlatform }) {
  const described = modelPackage(model, platform);
  const file = join(out, tarballName(described));
  if (!existsSync(file)) {
    log(`models: packing ${described.name}`);
    const tree = join(work, `model-${model.id}`);
    rmSync(tree, { recursive: true, force: true });
    layOut(model, described, { root, cache, platform, into: join(tree, 'package') });
    await packTarball(tree, file, { level: LEVEL });
    rmSync(tree, { recursive: true, force: true });
  }
  return {
    id: model.id,
    digest: modelDigest(model, platform),
    ...described,
    integrity: await integrityOf(file),
    bytes: statSync(file).size,
  };
}

function layOut(model, described, { root, cache, platform, into }) {
  const from = modelFolder(cache, model, platform);
  for (const file of servedFiles(model, platform)) {
    const name = insideModel(model, file);
    place(join(from, name), join(into, 'files', name));
  }
  const { title, licence, origin } = model;
  const about = { ...described, description: `${title}, for Trunkline`, license: licence, homepage: origin };
  put(join(into, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  copy(join(root, 'NOTICES'), join(into, 'NOTICES'));
  put(join(into, 'README.md'), `# ${title}\n\n${model.purpose}\n\nLicence: ${licence}. Origin: ${origin}\n`);
}

function place(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // The link fails across file systems.
  }
}
