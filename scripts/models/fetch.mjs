/**
 * Ensures that the cache holds every file of the manifest, with the pinned bytes. It is quick and silent when nothing
 * is missing. A file appears under its final name only when it is complete.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { withLock } from '../setup/lock.mjs';
import { run, tail } from '../setup/run.mjs';
import {
  archiveOf,
  filesOf,
  GPU_FORMS,
  hostPlatform,
  insideModel,
  modelFolder,
  packagesFolder,
  projectRoot,
  readManifest,
  selectModels,
} from './layout.mjs';
import { MEND, PackageStore } from './packages.mjs';
import { installedFiles, PrebuiltStore, prebuiltOf, unpack } from './prebuilt.mjs';
import { recipeOutput, recipePackages, runRecipe } from './recipes.mjs';
import { hashFile, readStamps, staleFiles, stampOf, writeStamps } from './stamps.mjs';

const AT_ONCE = 3;

/**
 * With `pin`, the recipes of these models run again and their outputs become the pinned ones; the caller stores the
 * manifest. `platform` is that of the machines which the files are for.
 */
export async function ensureModels({
  manifest,
  models,
  root,
  from,
  log,
  pin = false,
  platform = hostPlatform,
}) {
  const stale = () => models.filter((model) => pin || staleFiles(root, model, platform).length > 0);
  if (stale().length === 0) return { fetched: 0 };
  return withLock(root, log, 'models: another process is fetching; waiting for it', async () => {
    const wanted = stale(); // Another process may have fetched them while this one waited.
    if (wanted.length === 0) return { fetched: 0 };
    const fetcher = new Fetcher({ manifest, root, from, log, pin, platform });
    try {
      for (const model of wanted) fetcher.reuseSiblings(model);
      if (!pin) await fetcher.fetchPrebuilt(stale());
      const left = stale();
      if (left.length > 0) await fetcher.fetch(left);
    } finally {
      fetcher.cleanUp();
    }
    return { fetched: wanted.length };
  });
}

/** The forms of models for a GPU; makes those that are missing. */
export async function ensureGpuForms({ root, log }) {
  const manifest = readManifest();
  const models = selectModels(manifest, { only: GPU_FORMS });
  await ensureModels({ manifest, models, root, from: packagesFolder(), log });
  return models;
}

class Fetcher {
  constructor({ manifest, root, from, log, pin, platform }) {
    Object.assign(this, { manifest, root, from, log, pin, platform });
    this.work = join(root, '.work');
    rmSync(this.work, { recursive: true, force: true }); // The held lock proves that no process uses it.
    mkdirSync(this.work, { recursive: true });
    this.packages = new PackageStore({ root, from, log });
  }

  /** Reuses files with the same bytes from an earlier version of the same model. */
  reuseSiblings(model) {
    const folder = modelFolder(this.root, model, this.platform);
    const home = dirname(folder);
    if (this.pin || !existsSync(home)) return;
    for (const sibling of readdirSync(home)) {
      const other = join(home, sibling);
      const stamps = readStamps(other);
      for (const file of staleFiles(this.root, model, this.platform)) {
        const name = insideModel(model, file);
        if (stamps[name]?.sha256 !== file.sha256 || other === folder) continue;
        const there = stampIfPresent(join(other, name), file.sha256);
        if (there?.size !== stamps[name].size || there.mtimeMs !== stamps[name].mtimeMs) continue;
        const copy = join(mkdtempSync(join(this.work, 'link-')), 'file');
        linkSync(join(other, name), copy);
        this.#settle(model, file, copy);
      }
    }
  }

  /** A model without a prebuilt package is made from its sources, as in a checkout. */
  async fetchPrebuilt(models) {
    const all = prebuiltOf(models);
    for (const entry of all) await this.#takeInstalled(entry);
    const entries = all.filter(({ model }) => staleFiles(this.root, model, this.platform).length > 0);
    if (entries.length === 0) return;
    const store = new PrebuiltStore({ root: this.root, from: this.from, log: this.log });
    try {
      await store.obtainAll(entries, (entry, archive) => this.#takePrebuilt(store, entry, archive));
    } catch (error) {
      if (!(error instanceof Failure) && error.cause === undefined && error.code === undefined) throw error;
      this.log(`models: ${error.message}; making the rest of published weights instead`);
    }
  }

  /** npm's copy stays as it is, so that the model's files outlive the package; a damaged copy is fetched again. */
  async #takeInstalled(entry) {
    const files = installedFiles(entry);
    if (!files) return;
    const folder = join(this.work, `installed-${entry.model.id}`);
    try {
      await this.#takeFiles(entry, folder, (name, path) => {
        const file = join(files, name);
        if (existsSync(file)) copyFileSync(file, path, constants.COPYFILE_FICLONE);
      });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.log(`models: ${error.message}; fetching it`);
    }
  }

  async #takePrebuilt(store, entry, archive) {
    const folder = join(this.work, `prebuilt-${entry.model.id}`);
    await unpack(archive, folder);
    await this.#takeFiles(entry, folder, () => {});
    store.discard(entry);
  }

  /** `place` puts one file of the package into the folder. */
  async #takeFiles({ model, name }, folder, place) {
    for (const file of staleFiles(this.root, model, this.platform)) {
      const inside = insideModel(model, file);
      const path = join(folder, inside);
      mkdirSync(dirname(path), { recursive: true });
      place(inside, path);
      const sha256 = existsSync(path) ? await hashFile(path) : 'nothing';
      if (sha256 !== file.sha256)
        throw new Failure(`${file.path} in ${name} is not the file that was pinned: received ${sha256}`);
      this.#settle(model, file, path);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  async fetch(models) {
    const plans = models
      .map((model) => this.#plan(model))
      .filter((plan) => plan.sources.length + plan.recipes.length > 0);
    const archives = new Map();
    for (const { source } of plans.flatMap((plan) => plan.sources)) {
      for (const part of source.parts) {
        const [name] = splitPart(part);
        archives.set(name, archiveOf(this.manifest, name, this.platform));
      }
    }
    await this.#obtainAll([...archives.values()]);
    for (const plan of plans) await this.#carryOut(plan);
    this.packages.discardAll();
  }

  cleanUp() {
    rmSync(this.work, { recursive: true, force: true });
  }

  #plan(model) {
    const files = filesOf(model, this.platform);
    const missing = this.pin
      ? files.filter((file) => !file.intermediate)
      : staleFiles(this.root, model, this.platform);
    const scripts = new Set(missing.flatMap((file) => (file.recipe ? [file.recipe] : [])));
    const recipes = (model.recipes ?? []).filter((recipe) => scripts.has(recipe.script));
    const food = new Set(recipes.flatMap((recipe) => recipe.inputs));
    const direct = files.filter(
      (file) => file.sources && (missing.includes(file) || (file.intermediate && food.has(file.path))),
    );
    const sources = direct.map((file) => ({ file, source: file.sources[0] }));
    return { model, sources, recipes, missing };
  }

  async #obtainAll(archives) {
    this.obtained = new Map();
    this.failures = new Map();
    const queue = [...archives];
    const worker = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await this.#obtain(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  async #obtain(archive) {
    if (this.obtained.has(archive.name)) return;
    try {
      this.obtained.set(archive.name, await this.packages.obtain(archive));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.failures.set(archive.name, error);
    }
  }

  async #carryOut(plan) {
    const byPath = new Map();
    const jobs = [];
    for (const { file } of plan.sources) {
      const source = await this.#firstUsable(file);
      const out = join(this.work, 'files', file.path);
      byPath.set(file.path, out);
      jobs.push({
        file,
        out,
        sha256: source.sha256 ?? file.sha256,
        parts: source.parts.map((part) => this.#located(part)),
      });
    }
    if (jobs.length > 0) await this.#extract(jobs);
    for (const { file, out } of jobs) {
      if (!file.intermediate) byPath.set(file.path, this.#settle(plan.model, file, out));
    }
    for (const recipe of plan.recipes) await this.#cook(plan, recipe, byPath);
    rmSync(join(this.work, 'files'), { recursive: true, force: true });
  }

  /** Returns the first source whose packages are all available; otherwise it throws the first failure. */
  async #firstUsable(file) {
    let first;
    for (const source of file.sources) {
      const names = source.parts.map((part) => splitPart(part)[0]);
      await this.#obtainMissing(names);
      const failed = names.find((name) => this.failures.has(name));
      if (!failed) return source;
      first ??= this.failures.get(failed);
      if (source !== file.sources.at(-1))
        this.log(`models: ${failed} cannot be had; trying the second source of ${file.path}`);
    }
    throw first;
  }

  async #obtainMissing(names) {
    for (const name of names) {
      if (!this.failures.has(name)) await this.#obtain(archiveOf(this.manifest, name, this.platform));
    }
  }

  #located(part) {
    const [name, member] = splitPart(part);
    return { archive: this.obtained.get(name), member };
  }

  async #extract(jobs) {
    const input = JSON.stringify(jobs.map(({ out, parts }) => ({ out, parts })));
    const result = await run('python3', [join(projectRoot, 'scripts/models/extract.py')], { input });
    if (result.code !== 0) throw new Failure(`unpacking failed: ${tail(result.stderr, 4)}`, MEND);
    const written = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const [index, { file, sha256 }] of jobs.entries()) {
      if (written[index].sha256 === sha256) continue;
      throw new Failure(
        `${file.path} is not the file that was pinned: expected sha256 ${sha256}, received ${written[index].sha256}`,
        MEND,
      );
    }
  }

  async #cook(plan, recipe, byPath) {
    const folder = modelFolder(this.root, plan.model, this.platform);
    const inputs = recipe.inputs.map((path) => {
      const file = plan.model.files.find((candidate) => candidate.path === path);
      if (!file)
        throw new Failure(`${recipe.script} asks for ${path}, which models/manifest.json does not name`);
      return { path, file: byPath.get(path) ?? join(folder, insideModel(plan.model, file)) };
    });
    const packages = await recipePackages(this.root, this.log, { from: this.from });
    const work = mkdtempSync(join(this.work, 'recipe-'));
    const out = await runRecipe({ recipe, inputs, work, packages, log: this.log });
    const outputs = filesOf(plan.model, this.platform).filter((file) => file.recipe === recipe.script);
    for (const file of outputs) {
      const path = await recipeOutput(file, out, this.pin);
      if (!this.pin) this.#settle(plan.model, file, path);
    }
  }

  #settle(model, file, path) {
    if (this.pin) return path;
    const folder = modelFolder(this.root, model, this.platform);
    const name = insideModel(model, file);
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    chmodSync(path, file.executable ? 0o755 : 0o644);
    renameSync(path, target);
    writeStamps(folder, { ...readStamps(folder), [name]: stampOf(target, file.sha256) });
    return target;
  }
}

function stampIfPresent(path, sha256) {
  return existsSync(path) ? stampOf(path, sha256) : undefined;
}

function splitPart(part) {
  const colon = part.indexOf(':');
  return [part.slice(0, colon), part.slice(colon + 1)];
}

export async function verifyModels({ models, root }) {
  const bad = [];
  for (const model of models) {
    const folder = modelFolder(root, model);
    const stamps = readStamps(folder);
    for (const file of filesOf(model).filter((candidate) => !candidate.intermediate)) {
      const name = insideModel(model, file);
      const path = join(folder, name);
      const whole = existsSync(path) && (await hashFile(path)) === file.sha256;
      if (whole) stamps[name] = stampOf(path, file.sha256);
      else {
        delete stamps[name];
        bad.push(file.path);
      }
    }
    if (existsSync(folder)) writeStamps(folder, stamps);
  }
  return bad;
}
