import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Model, type ModelFile, modelDigest, readManifest, servedFiles } from './manifest.ts';

export { type Model, type ModelFile, readManifest } from './manifest.ts';

export const FETCH_COMMAND = 'npx trunkline models fetch';

export interface ModelStatus {
  readonly id: string;
  readonly ready: boolean;
  /** A model that is not ready names the file that is missing or changed, and the command that repairs it. */
  readonly detail?: string;
}

export interface ModelsOptions {
  readonly root?: string | null;
  readonly manifest?: string | URL;
  readonly platform?: string;
}

interface Stamp {
  readonly sha256: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export function defaultModelsRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TRUNKLINE_MODELS) return resolve(env.TRUNKLINE_MODELS);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trunkline/models');
}

/** Returns the CUDA build of the inference library that `npx trunkline gpu install` installed, or undefined. */
export function installedGpuLibrary(root: string = defaultModelsRoot()): string | undefined {
  try {
    const library = readFileSync(join(root, '.gpu/library'), 'utf8').trim();
    return statSync(library).isFile() ? library : undefined;
  } catch {
    return undefined;
  }
}

export class Models {
  readonly root: string;
  readonly list: readonly Model[];
  readonly #platform: string;
  readonly #folders = new Map<string, string>();

  constructor(options: ModelsOptions = {}) {
    this.root = options.root ?? defaultModelsRoot();
    this.list = readManifest(options.manifest);
    this.#platform = options.platform ?? `${process.platform}-${process.arch}`;
    for (const model of this.list) {
      this.#folders.set(model.id, join(this.root, model.id, modelDigest(model, this.#platform)));
    }
  }

  get(id: string): Model {
    const model = this.list.find((candidate) => candidate.id === id);
    if (!model) throw new RangeError(`expected the id of a model of models/manifest.json, received '${id}'`);
    return model;
  }

  folder(id: string): string {
    return this.#folders.get(this.get(id).id) as string;
  }

  /**
   * Returns the absolute path of a file by its manifest path (`kokoro/kokoro.onnx`). The file may be missing: see
   * `status`.
   */
  path(file: string): string {
    const slash = file.indexOf('/');
    const model = this.get(file.slice(0, slash));
    if (!servedFiles(model, this.#platform).some((candidate) => candidate.path === file)) {
      throw new RangeError(
        `expected a file of models/manifest.json for ${this.#platform}, received '${file}'`,
      );
    }
    return join(this.folder(model.id), file.slice(slash + 1));
  }

  /** Checks that every file is unchanged since its bytes were verified. It costs a stat for each file. */
  status(id: string): ModelStatus {
    const model = this.get(id);
    const folder = this.folder(id);
    const stamps = readStamps(folder);
    for (const file of servedFiles(model, this.#platform)) {
      const problem = problemOf(
        file,
        join(folder, file.path.slice(id.length + 1)),
        stamps[file.path.slice(id.length + 1)],
      );
      if (problem)
        return { id, ready: false, detail: `${file.path} ${problem}; fix it with: ${mendOf(model)}` };
    }
    return { id, ready: true };
  }

  wholeFiles(): Record<string, string> {
    const files: Record<string, string> = {};
    for (const model of this.list) {
      if (!this.status(model.id).ready) continue;
      for (const { path } of servedFiles(model, this.#platform)) files[path] = this.path(path);
    }
    return files;
  }

  neededBy(surface: string): readonly Model[] {
    return this.list.filter((model) => model.surfaces.includes(surface));
  }
}

function problemOf(file: ModelFile, path: string, stamp: Stamp | undefined): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 'is missing';
  if (stat.size !== file.bytes) return `is damaged (expected ${file.bytes} bytes, found ${stat.size})`;
  if (stamp?.sha256 !== file.sha256) return 'was never checked';
  if (stat.mtimeMs !== stamp.mtimeMs) return 'has changed since it was checked';
  return undefined;
}

function mendOf(model: Model): string {
  return model.fetch === 'default' ? FETCH_COMMAND : `${FETCH_COMMAND} --only ${model.id}`;
}

function readStamps(folder: string): Record<string, Stamp | undefined> {
  try {
    return JSON.parse(readFileSync(join(folder, '.stamps.json'), 'utf8')) as Record<string, Stamp>;
  } catch {
    return {};
  }
}
