import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const FILES = 40;

describe('the TypeScript of two set-ups at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compile-'));
  beforeAll(() => {
    for (const name of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules')))
      if (!name.startsWith('.'))
        symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    mkdirSync(join(folder, 'src'));
    for (let at = 0; at < FILES; at++)
      writeFileSync(join(folder, `src/part-${at}.ts`), `export const part: number = ${at};\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is compiled once, whole', { timeout: 120_000 }, async () => {
    const program = `
      import { compileTypeScript, typescriptIsCurrent } from './scripts/setup/typescript.mjs';
      await compileTypeScript(process.cwd(), console.log);
      if (!typescriptIsCurrent(process.cwd())) process.exit(3);`;
    writeFileSync(join(folder, 'compile.mjs'), program);
    const ends = await Promise.all(
      [0, 1, 2].map(async () => {
        const child = spawn(process.execPath, ['compile.mjs'], { cwd: folder });
        let said = '';
        child.stdout.on('data', (text) => {
          said += text;
        });
        const [code] = await once(child, 'close');
        return { code, said };
      }),
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ends.filter(({ said }) => said.includes('typescript: compiling'))).toHaveLength(1);
    const written = readdirSync(join(folder, 'dist')).filter((name) => /^part-\d+\.js$/.test(name));
    expect(written).toHaveLength(FILES);
    expect(readFileSync(join(folder, 'dist/part-7.js'), 'utf8')).toContain('part = 7');
  });
});
