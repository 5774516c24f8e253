import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

interface Drawing {
  draw(arrows: ReadonlyMap<string, ReadonlySet<string>>): string;
  spare(arrows: ReadonlyMap<string, ReadonlySet<string>>): [string, string][];
}

const drawing = async () =>
  (await import(`${import.meta.dirname}/../../scripts/architecture.mjs`)) as Drawing;

it('is drawn as the imports are', () => {
  const done = spawnSync('node', ['scripts/architecture.mjs', '--check'], { encoding: 'utf8' });
  expect(done).toMatchObject({ status: 0, stderr: '' });
});

it('leaves out what other arrows imply, and nothing else', async () => {
  const { spare } = await drawing();
  const arrows = new Map([
    ['a', new Set(['b', 'c'])],
    ['b', new Set(['c'])],
    ['c', new Set<string>()],
    ['x', new Set(['y'])],
    ['y', new Set(['x'])],
  ]);
  expect(spare(arrows).map((arrow) => arrow.join('>'))).toEqual(['a>b', 'b>c', 'x>y', 'y>x']);
});

it('stands each box above what it imports, and two that import each other too', async () => {
  const { draw } = await drawing();
  const picture = draw(
    new Map([
      ['novelty', new Set(['platform'])],
      ['platform', new Set(['novelty'])],
    ]),
  );
  expect(picture).toContain('>novelty</text>');
  expect(picture).not.toMatch(/NaN|undefined/);
});

it('knows the native modules and what each includes', async () => {
  const { nativeArrowsOf } = (await drawing()) as Drawing & {
    nativeArrowsOf(root: string): Map<string, Set<string>>;
  };
  const arrows = nativeArrowsOf(`${import.meta.dirname}/../..`);
  expect(arrows.get('lanes/omni')).toContain('lanes/hear');
  expect(arrows.get('engine')).not.toContain('lanes/omni');
});
