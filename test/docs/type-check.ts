import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../running-server.ts';
import type { Guide } from './guide.ts';

const OPTIONS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext --types node'.split(' ');

export async function typeErrorsOf({ blocks }: Guide, cwd: string): Promise<string> {
  const files = blocks.flatMap((block) => {
    if (block.kind !== 'run' || !block.typed) return [];
    const file = `line-${block.line}.mts`;
    writeFileSync(join(cwd, file), block.text);
    return [file];
  });
  if (files.length === 0) return '';
  const args = [...OPTIONS, '--typeRoots', join(root, 'node_modules/@types'), ...files];
  return new Promise((resolve) =>
    execFile(join(root, 'node_modules/.bin/tsc'), args, { cwd }, (error, said) =>
      resolve(error === null ? '' : said || error.message),
    ),
  );
}
