import { lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

const ADDED = /^x_[0-9a-f]{24}\.bin$/;
const STOCK = 'kokoro/voices/af_heart.bin';

/**
 * The engine reads all style tables from one folder. This one links to the tables of the product and to those that were
 * added, so that a running engine finds a table that is added later.
 */
export class StyleLinks {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'styles');
  }

  /** Returns the files of the engine with the tables of this folder, or as they are where it cannot be written. */
  withLinks(files: Readonly<Record<string, string>>): Record<string, string> {
    const heart = files[STOCK];
    if (heart === undefined) return { ...files };
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(dirname(heart)))
        if (name.endsWith('.bin')) this.#link(name, join(dirname(heart), name));
    } catch {
      return { ...files };
    }
    return { ...files, [STOCK]: join(this.folder, basename(heart)) };
  }

  /** Links exactly these tables beside those of the product. */
  refresh(tables: readonly string[]): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const wanted = new Map(tables.map((path) => [basename(path), path]));
    for (const name of readdirSync(this.folder))
      if (ADDED.test(name) && !wanted.has(name)) rmSync(join(this.folder, name), { force: true });
    for (const [name, path] of wanted) this.#link(name, relative(this.folder, path));
  }

  /** A running engine may read the folder meanwhile, so a link is replaced at once. */
  #link(name: string, target: string): void {
    const link = join(this.folder, name);
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return;
    const arriving = `${link}.${process.pid}`;
    rmSync(arriving, { force: true });
    symlinkSync(target, arriving);
    renameSync(arriving, link);
  }
}
