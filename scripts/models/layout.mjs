/**
 * A model's files have the path ROOT/ID/DIGEST/… in the cache, where DIGEST is that of the manifest's list of its
 * files. Two versions of Trunkline can therefore share one cache without replacing each other's files, and a running
 * server never sees a file change. src/foundation/platform/models reads the same layout; a test compares the two.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../setup/failure.mjs';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const manifestPath = join(projectRoot, 'models/manifest.json');
export const hostPlatform = `${process.platform}-${process.arch}`;

/**
 * Set-up needs two settings before the program that reads all of them exists: from the environment, else from the
 * configuration file. The server validates both sources; here only an unreadable file is an error.
 */
function setting(name, env) {
  const said = env[`TRUNKLINE_${name.toUpperCase()}`];
  if (said || !env.TRUNKLINE_CONFIG) return said;
  try {
    const value = JSON.parse(readFileSync(env.TRUNKLINE_CONFIG, 'utf8'))?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    // A parser quotes the text around a mistake, which may be a secret, so its message is replaced.
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : error.message;
    throw new Failure(`TRUNKLINE_CONFIG: cannot read ${env.TRUNKLINE_CONFIG}: ${why}`);
  }
}

export function packagesFolder(env = process.env) {
  const said = setting('models_from', env);
  return said ? resolve(said) : undefined;
}

export function defaultRoot(env = process.env) {
  const said = setting('models', env);
  if (said) return resolve(said);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trunkline/models');
}

export function readManifest(path = manifestPath) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function filesOf(model, platform = hostPlatform) {
  return model.files.filter((file) => !file.platform || file.platform === platform);
}

export const servedFiles = (model, platform) => filesOf(model, platform).filter((file) => !file.intermediate);

export const isOfAnyPlatform = (model) => model.files.every((file) => !file.platform);

export function modelVersions(platform = hostPlatform) {
  const versions = readManifest().models.map((model) => `${model.id}/${modelDigest(model, platform)}`);
  return { TRUNKLINE_MODEL_VERSIONS: versions.join(' ') };
}

export function modelDigest(model, platform = hostPlatform) {
  const lines = servedFiles(model, platform).map((file) => `${file.path} ${file.sha256}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex').slice(0, 12);
}

export const modelFolder = (root, model, platform) => join(root, model.id, modelDigest(model, platform));

export function insideModel(model, file) {
  return file.path.slice(model.id.length + 1);
}

export function archiveOf(manifest, name, platform = hostPlatform) {
  const entry = manifest.packages[name];
  const archive = entry?.archives.any ?? entry?.archives[platform];
  if (!archive) throw new Failure(`no package ${name} is pinned for ${platform}`, undefined);
  return { name, registry: entry.registry, version: entry.version, ...archive };
}

export const GPU_FORMS = ['whisper-base-gpu', 'moonshine-tiny-en-gpu', 'kokoro-gpu'];

/** The forms for a GPU, where `npx trunkline gpu install` has installed its libraries. */
export const gpuModels = (manifest, root) =>
  existsSync(join(root, '.gpu/library')) ? selectModels(manifest, { only: GPU_FORMS }) : [];

export function selectModels(manifest, { only, all } = {}) {
  if (!only?.length) return manifest.models.filter((model) => all || model.fetch === 'default');
  return only.map((id) => {
    const model = manifest.models.find((candidate) => candidate.id === id);
    const known = manifest.models.map((candidate) => candidate.id).join(', ');
    if (!model)
      throw new Failure(`there is no model '${id}'; there are: ${known}`, 'npx trunkline models list');
    return model;
  });
}
