import { expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { screen } from '../../scripts/setup/progress.mjs';

const LINES = [
  'native: building the engine',
  'models: downloading weights (80 MB)',
  'native: 10 %',
  'models: done in 3.0 s',
  'native: done in 9.0 s',
];

function written(terminal: { isTTY?: boolean; columns?: number }): string[] {
  const said: string[] = [];
  const log = screen({ ...terminal, write: (text: string) => said.push(text) }) as (line: string) => void;
  for (const line of LINES) log(line);
  return said;
}

it('writes each line once into a file', () => {
  expect(written({})).toEqual(LINES.map((line) => `${line}\n`));
});

it('keeps one line of a terminal, with what each step does now, and leaves those that are done above it', () => {
  const over = '\r\x1b[K';
  expect(written({ isTTY: true, columns: 60 })).toEqual([
    `${over}native: building the engine`,
    `${over}native: building the engine | models: downloading weights (80 MB)`.slice(0, over.length + 59),
    `${over}native: 10 % | models: downloading weights (80 MB)`,
    `${over}models: done in 3.0 s\nnative: 10 %`,
    `${over}native: done in 9.0 s\n`,
  ]);
});
