import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

export interface AddedBrain {
  readonly name: string;
  readonly path: string;
  readonly isDefault: boolean;
}

export class AddedBrainError extends Error {}

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/;
const ENDING = '.gguf';

export class AddedBrains {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'brains');
  }

  list(): AddedBrain[] {
    const chosen = this.#default();
    return this.#files()
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .sort()
      .map((name) => ({ name, path: this.#path(name), isDefault: name === chosen }));
  }

  /** Links the file, or copies it from another disk. The first added model becomes the default. */
  add(file: string, name: string, asDefault: boolean): AddedBrain {
    if (!NAME.test(name))
      throw new AddedBrainError(
        `${name} is not a valid name of a brain: use 1 to 64 letters, digits, _ . and -`,
      );
    const others = this.list();
    if (others.some((other) => other.name === name))
      throw new AddedBrainError(
        `a brain named ${name} already exists: choose another --name, or remove it first`,
      );
    mkdirSync(this.#folder, { recursive: true });
    this.#place(file, this.#path(name));
    if (asDefault || !others.some(({ isDefault }) => isDefault)) this.#choose(name);
    return this.list().find((added) => added.name === name) as AddedBrain;
  }

  remove(name: string): void {
    const found = this.list().find((added) => added.name === name);
    if (found === undefined) throw new AddedBrainError(`there is no brain ${name}: npx trunkline brain list`);
    rmSync(found.path);
    if (found.isDefault) rmSync(this.#chosen, { force: true });
  }

  get #chosen(): string {
    return join(this.#folder, 'default');
  }

  #path(name: string): string {
    return join(this.#folder, `${name}${ENDING}`);
  }

  #files(): string[] {
    return orAbsent(() => readdirSync(this.#folder)) ?? [];
  }

  #default(): string | null {
    return orAbsent(() => readFileSync(this.#chosen, 'utf8').trim());
  }

  #choose(name: string): void {
    const written = `${this.#chosen}.new`;
    writeFileSync(written, `${name}\n`);
    renameSync(written, this.#chosen);
  }

  /** A partial copy never has the final name. */
  #place(file: string, target: string): void {
    const source = realpathSync(file);
    try {
      linkSync(source, target);
    } catch {
      const arriving = `${target}.arriving`;
      copyFileSync(source, arriving);
      renameSync(arriving, target);
    }
  }
}

export const brainNameOf = (file: string): string =>
  basename(file)
    .replace(/\.gguf$/i, '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 64);

function orAbsent<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
