/**
 * Packs each model as an npm package of the files that the engine reads, so that a first start runs no recipe and
 * needs neither Python nor pip. The version contains the digests of the files and of the papers with them: a release with
 * an unchanged package refers to the same one, and never to other bytes under its version.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  hostPlatform,
  insideModel,
  isOfAnyPlatform,
  modelDigest,
  modelFolder,
  projectRoot,
  servedFiles,
} from '../models/layout.mjs';
import { archiveName as tarballName } from '../models/prebuilt.mjs';
import { put } from './product.mjs';
import { integrityOf, packTarball } from './tarball.mjs';

/** Compression hardly shrinks these archives, so they use the fastest level. */
const LEVEL = 1;

export const modelPackage = (model, platform, root = projectRoot) => ({
  name: `@trunkline/model-${model.id}${isOfAnyPlatform(model) ? '' : `-${platform}`}`,
  version: `0.0.0-d${modelDigest(model, platform)}-p${digestOf(papersOf(model, root))}`,
});

/** Returns what a package says of its model, by file. */
function papersOf({ title, licence, origin, purpose }, root) {
  const about = { description: `${title}, for Trunkline`, license: licence, homepage: origin };
  return {
    'package.json': about,
    NOTICES: readFileSync(join(root, 'NOTICES'), 'utf8'),
    'README.md': `# ${title}\n\n${purpose}\n\nLicence: ${licence}. Origin: ${origin}\n`,
  };
}

const digestOf = (papers) => createHash('sha256').update(JSON.stringify(papers)).digest('hex').slice(0, 12);

export { tarballName };

export async function packModel(model, { root, cache, out, work, log, platform = hostPlatform }) {
  const described = modelPackage(model, platform, root);
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
  const { 'package.json': about, ...papers } = papersOf(model, root);
  put(join(into, 'package.json'), `${JSON.stringify({ ...described, ...about }, null, 2)}\n`);
  for (const [name, text] of Object.entries(papers)) put(join(into, name), text);
}

function place(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // The link fails across file systems.
  }
}
