import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { joinPackages } from '../../scripts/setup/joined-packages.mjs';

const root = join(import.meta.dirname, '../..');

describe('packages joined into one file each', () => {
  const dist = mkdtempSync(join(tmpdir(), 'joined-'));
  beforeAll(() => joinPackages(root, dist));
  afterAll(() => rmSync(dist, { recursive: true, force: true }));

  const answer = (program: string) => {
    const file = join(dist, 'ask.mjs');
    writeFileSync(file, program);
    return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
  };

  it.each(['typebox', 'kysely'])('%s is the installed version, in a handful of files', (name) => {
    const read = (folder: string) =>
      JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    expect(read(dist).version).toBe(read(root).version);
    expect(readdirSync(join(dist, 'node_modules', name)).length).toBeLessThan(6);
  });

  it.each(['typebox', 'typebox/value', 'kysely'])('%s gives the same names', async (name) => {
    const installed = Object.keys(await import(name)).sort();
    expect(installed.length).toBeGreaterThan(5);
    expect(
      answer(`console.log(JSON.stringify(Object.keys(await import('${name}')).sort()));`).filter(Boolean),
    ).toEqual(installed);
  });

  it('checks values by schemas made at another door of the same package', () => {
    const program = `
      import { Type } from 'typebox';
      import { Value } from 'typebox/value';
      const schema = Type.Object({ rate: Type.Integer({ minimum: 8000 }) }, { additionalProperties: false });
      const values = [{ rate: 8000 }, { rate: 7999 }, { rate: 8000, more: 1 }];
      console.log(JSON.stringify([import.meta.resolve('typebox'), ...values.map((one) => Value.Check(schema, one))]));`;
    const [from, ...fit] = answer(program);
    expect(from).toContain(join(dist, 'node_modules/typebox'));
    expect(fit).toEqual([true, false, false]);
  });
});
