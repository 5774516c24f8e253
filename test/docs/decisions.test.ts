import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const pages = readdirSync(folder).filter((name) => /^\d{3}-[a-z0-9-]+\.md$/.test(name));
/** A record has at most one printed page. */
const PAGE_CHARACTERS = 3_200;

describe.each(pages)('the decision %s', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');

  it('has a title with its number, context, decision and consequences in this order', () => {
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 3)}: \\S`));
    const parts = [...text.matchAll(/^\*\*(Context|Decision|Consequences)\.\*\*/gm)].map(([, part]) => part);
    expect(parts).toEqual(['Context', 'Decision', 'Consequences']);
  });

  it('fits one page', () => {
    expect(text.length).toBeLessThanOrEqual(PAGE_CHARACTERS);
  });
});

it('the index lists each decision', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  expect([...index.matchAll(/\]\((\d{3}-[a-z0-9-]+\.md)\)/g)].map(([, file]) => file)).toEqual(pages);
});
