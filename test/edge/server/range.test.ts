import { expect, it } from 'vitest';
import { parseRangeHeader } from '../../../src/edge/server/surface.ts';

const asked = (header: string | undefined, bytes = 100) => {
  const range = parseRangeHeader(header, bytes);
  return range === null ? null : [range.first, range.last];
};

it('reads one range: from the beginning, to the end, in the middle, and the last bytes', () => {
  expect(asked('bytes=0-0')).toEqual([0, 0]);
  expect(asked('bytes=10-19')).toEqual([10, 19]);
  expect(asked('bytes=90-')).toEqual([90, 99]);
  expect(asked('bytes=90-400')).toEqual([90, 99]);
  expect(asked('bytes=-5')).toEqual([95, 99]);
  expect(asked('bytes=-400')).toEqual([0, 99]);
  expect(asked(` bytes=0-${'9'.repeat(40)} `)).toEqual([0, 99]);
});

it('gives the whole for several ranges, other units, and what is no range', () => {
  for (const header of [undefined, '', 'bytes=-', 'bytes=0-1,5-6', 'lines=0-1', 'bytes=5-2', 'bytes=a-b'])
    expect(asked(header), header).toBeNull();
});

it('refuses a range that holds no byte of the file, and says how many there are', () => {
  for (const [header, bytes] of [
    ['bytes=100-', 100],
    ['bytes=-0', 100],
    [`bytes=${'9'.repeat(40)}-`, 100],
    ['bytes=0-', 0],
    ['bytes=-5', 0],
  ] as const)
    expect(() => parseRangeHeader(header, bytes), header).toThrow(
      expect.objectContaining({
        code: 'range_not_satisfiable',
        headers: { 'content-range': `bytes */${bytes}` },
      }),
    );
});
