import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from './download.ts';
import { AddedModelError } from './errors.ts';

export interface LockedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface Measured {
  readonly realTimeFactor: number;
  readonly memoryBytes: number;
  /** `heard` is the transcript of the spoken sentence; null where recognition does not support the language. */
  readonly spoken: string;
  readonly heard: string | null;
}

export interface PiperFacts {
  readonly language: string;
  readonly region: string | null;
  readonly accent: string;
  readonly rate: number;
  readonly quality: string | null;
  readonly speakers: readonly { readonly name: string; readonly id: number }[];
}

export interface AddedModel {
  readonly name: string;
  readonly kind: 'piper-voice';
  readonly source: string;
  readonly revision: string | null;
  readonly licence: string | null;
  readonly addedAt: string;
  readonly inputs: readonly LockedFile[];
  readonly files: readonly LockedFile[];
  readonly folder: string;
  readonly voice: PiperFacts;
  readonly measured: Measured;
}

interface Lock {
  readonly format: 1;
  readonly models: readonly AddedModel[];
  readonly use: { readonly voices: Readonly<Record<string, string>> };
}

const EMPTY: Lock = { format: 1, models: [], use: { voices: {} } };
export const MODEL_NAME = /^[a-z][a-z0-9_]{1,63}$/;

/** Reads `models.lock` again whenever it has changed, so that a running server serves what is added. */
export class AddedModels {
  readonly folder: string;
  readonly #path: string;
  #known: { readonly stamp: string; readonly lock: Lock } = { stamp: '', lock: EMPTY };

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'models');
    this.#path = join(dataDir, 'models.lock');
  }

  get list(): readonly AddedModel[] {
    return this.#read().models;
  }

  get chosenVoices(): Readonly<Record<string, string>> {
    return this.#read().use.voices;
  }

  get version(): string {
    this.#read();
    return this.#known.stamp;
  }

  find(name: string): AddedModel | undefined {
    return this.list.find((model) => model.name === name);
  }

  pathOf(model: AddedModel): string {
    return join(this.folder, model.folder);
  }

  status(model: AddedModel): { readonly ready: boolean; readonly detail?: string } {
    const folder = this.pathOf(model);
    for (const { path, bytes } of model.files) {
      const stat = statSync(join(folder, path), { throwIfNoEntry: false });
      if (stat?.size !== bytes)
        return {
          ready: false,
          detail: `${path} is ${stat ? 'damaged' : 'missing'}: remove the model and add it again`,
        };
    }
    return { ready: true };
  }

  async changedFiles(model: AddedModel): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const { path, sha256 } of model.files) {
      const file = join(this.pathOf(model), path);
      if (!existsSync(file) || (await hashFile(file)) !== sha256) changed.push(file);
    }
    return changed;
  }

  add(model: AddedModel): void {
    const lock = this.#read();
    if (lock.models.some(({ name }) => name === model.name)) throw nameTaken(model.name);
    this.#write({ ...lock, models: [...lock.models, model] });
  }

  /** A call in progress finishes with the removed voice, because its files stay open. */
  remove(name: string): void {
    const lock = this.#read();
    const model = this.find(name);
    if (!model) throw unknown(name);
    const gone = voiceIds(model);
    const voices = Object.entries(lock.use.voices).filter(([, voice]) => !gone.includes(voice));
    this.#write({
      ...lock,
      models: lock.models.filter((other) => other !== model),
      use: { voices: Object.fromEntries(voices) },
    });
    rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  useVoice(language: string, voice: string | null): void {
    const lock = this.#read();
    const { [language]: _, ...others } = lock.use.voices;
    this.#write({ ...lock, use: { voices: voice === null ? others : { ...others, [language]: voice } } });
  }

  #read(): Lock {
    const stat = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    const stamp = stat ? `${stat.mtimeNs}-${stat.size}-${stat.ino}` : '';
    if (stamp === this.#known.stamp) return this.#known.lock;
    const lock = stat ? parsed(readFileSync(this.#path, 'utf8'), this.#path) : EMPTY;
    this.#known = { stamp, lock };
    return lock;
  }

  #write(lock: Lock): void {
    mkdirSync(this.folder, { recursive: true });
    const arriving = `${this.#path}.new`;
    writeFileSync(arriving, `${JSON.stringify(lock, null, 2)}\n`, { mode: 0o600 });
    renameSync(arriving, this.#path);
  }
}

export const nameTaken = (name: string): AddedModelError =>
  new AddedModelError(`there is a model ${name} already: give another --as, or remove it first`);

const unknown = (name: string): AddedModelError =>
  new AddedModelError(`there is no added model ${name}: npx trunkline models list`);

/** A model with one speaker has one voice with the model's name; others have one voice per speaker, in order. */
export function voiceIds({ name, voice }: Pick<AddedModel, 'name' | 'voice'>): readonly string[] {
  if (voice.speakers.length < 2) return [name];
  return voice.speakers.map((speaker) => `${name}_${slug(speaker.name)}`);
}

export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');

export function digestOf(files: readonly LockedFile[]): string {
  const lines = files.map(({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 12);
}

function parsed(text: string, path: string): Lock {
  let lock: Lock;
  try {
    lock = JSON.parse(text) as Lock;
  } catch {
    throw new AddedModelError(
      `${path} is not valid JSON: restore it from a backup, or remove it and add the models again`,
    );
  }
  if (lock.format !== 1)
    throw new AddedModelError(`${path} has format ${String(lock.format)}; this version of Trunkline reads 1`);
  return lock;
}
