/** Code tables generate these tables of docs/. `UPDATE_DOCS=1 npx vitest run test/docs` writes them again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { environmentName, expectation, SETTINGS } from '../../src/foundation/platform/config/index.ts';
import { ERRORS } from '../../src/foundation/platform/errors.ts';
import { GROUPS } from '../foreign/features.ts';

const docs = join(import.meta.dirname, '../../docs');

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const shown = (fallback: unknown): string =>
  fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? '' : `\`${String(fallback)}\``;

const settings = (): string =>
  table(
    ['Variable', 'Value', 'Default', 'Meaning'],
    Object.entries(SETTINGS).map(([name, { schema, fallback, doc }]) => [
      `\`${environmentName(name)}\``,
      expectation(schema),
      shown(fallback),
      doc,
    ]),
  );

const errors = (): string =>
  table(
    ['Status', 'Code', 'Type', 'Retry', 'Cause'],
    Object.entries(ERRORS)
      .sort(([, a], [, b]) => a.status - b.status)
      .map(([code, { status, type, retry, cause }]) => [
        String(status),
        `[\`${code}\`](#${code})`,
        `\`${type}\``,
        retry ? 'yes' : 'no',
        cause,
      ]),
  );

const errorPages = (): string =>
  Object.entries(ERRORS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { status, cause, example, remedy }]) =>
        `### ${code}\n\n${status}. ${cause}\n\n- Example: ${example}\n- What to do: ${remedy}\n`,
    )
    .join('\n');

const tried = (page: string) => (): string =>
  table(
    ['Client', 'Feature', 'Here'],
    GROUPS.filter((group) => group.page === page).flatMap(({ client, features }) =>
      features.map(({ feature, difference }) => [client, feature, difference ?? 'unchanged']),
    ),
  );

const pages = [...new Set(GROUPS.map(({ page }) => page))];

it.each([
  ['configuration.md', 'settings', settings],
  ['errors.md', 'errors', errors],
  ['errors.md', 'pages', errorPages],
  ...pages.map((page): [string, string, () => string] => [`guides/${page}`, 'tried', tried(page)]),
])('docs/%s agrees with the code', (file, mark, make) => {
  const path = join(docs, file);
  const text = readFileSync(path, 'utf8');
  const [before, rest] = text.split(`<!-- ${mark} -->\n`) as [string, string];
  const after = rest.slice(rest.indexOf(`<!-- /${mark} -->`));
  const wanted = `${before}<!-- ${mark} -->\n${make()}\n${after}`;
  if (process.env.UPDATE_DOCS) writeFileSync(path, wanted);
  else expect(text).toBe(wanted);
});
