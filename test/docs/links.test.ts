import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../running-server.ts';

/** GitHub's rule for the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

const anchorsOf = (path: string): Set<string> =>
  new Set(
    [...withoutCode(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      anchorOf(heading!),
    ),
  );

it('every link of a page leads to a file and a heading that exist', () => {
  const { stdout } = spawnSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' });
  const pages = stdout
    .trim()
    .split('\n')
    .filter((page) => existsSync(join(root, page)));
  expect(pages).toContain('README.md');
  const broken = pages.flatMap((page) => {
    const links = withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g);
    return [...links].flatMap(([, link]) => {
      if (/^\w+:/.test(link!)) return [];
      const [file, anchor] = link!.split('#') as [string, string?];
      const target = file === '' ? join(root, page) : join(root, dirname(page), file);
      if (!existsSync(target)) return [`${page}: ${link}`];
      const known = anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
      return known ? [] : [`${page}: ${link}`];
    });
  });
  expect(broken).toEqual([]);
});
