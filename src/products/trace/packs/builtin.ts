import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import { readPack, tagOf } from './reading.ts';
import type { RulePack } from './schema.ts';

/** A built-in pack. Its id depends on its name and version alone. */
export interface BuiltinPack {
  readonly id: string;
  readonly etag: string;
  readonly pack: RulePack;
  readonly createdAt: number;
}

const FOLDER = join(PROJECT_ROOT, 'src/products/trace/packs/builtin');
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHIPPED_AT = Date.UTC(2026, 10, 22);

const idOf = ({ pack_id, version }: RulePack): string => {
  const bytes = createHash('sha256').update(`${pack_id}@${version}`).digest();
  return `tpack_${[...bytes.subarray(0, 20)].map((byte) => ALPHABET[byte % 62]).join('')}`;
};

let loaded: readonly BuiltinPack[] | null = null;

export function builtinPacks(): readonly BuiltinPack[] {
  loaded ??= readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => {
      const pack = readPack(readFileSync(join(FOLDER, name), 'utf8'));
      return { id: idOf(pack), etag: tagOf(pack), pack, createdAt: SHIPPED_AT };
    });
  return loaded;
}
