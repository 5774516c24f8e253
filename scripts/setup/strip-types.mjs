/** Strips types from one file at a time and does not check them: the type check is a test of its own. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Failure } from './failure.mjs';

const OPTIONS = {
  lang: 'ts',
  sourcemap: true,
  tsconfig: false,
  target: 'es2023',
  typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
};

export async function stripTypes(from, to) {
  const { transformSync } = await import('rolldown/utils');
  const files = [...sources(from)];
  for (const file of files)
    strip(transformSync, file, join(to, relative(from, file).replace(/\.ts$/, '.js')));
  return files.length;
}

function strip(transform, file, target) {
  const { code, map, errors } = transform(file, readFileSync(file, 'utf8'), OPTIONS);
  if (errors.length > 0)
    throw new Failure(
      `${file} is not TypeScript:\n${errors.map(({ codeframe, message }) => codeframe ?? message).join('\n')}`,
    );
  mkdirSync(dirname(target), { recursive: true });
  const name = basename(target);
  writeFileSync(target, `${code}//# sourceMappingURL=${name}.map\n`);
  const { sourcesContent: _, ...rest } = map;
  writeFileSync(`${target}.map`, JSON.stringify({ ...rest, sources: [relative(dirname(target), file)] }));
}

/** A folder with its own package.json is built separately. */
function* sources(folder) {
  if (existsSync(join(folder, 'package.json'))) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // scripts/console.mjs builds the code for browsers.
      if (!/(^|[\\/])src[\\/]console$/.test(path)) yield* sources(path);
    } else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts')) yield path;
  }
}
