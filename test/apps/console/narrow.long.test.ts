import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { pagesOf } from './pages.ts';
import { look, person, seed, serve, settled, signUp } from './seeded.ts';

const WIDTH = 390;
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaen'.repeat(4);

beforeAll(async () => {
  if (browserAbsent) return;
  await compileProgram();
  await builtConsole();
}, 180_000);

describe.skipIf(browserAbsent)('on a phone', () => {
  it('no page scrolls sideways', async () => {
    const url = await serve();
    const { page } = await look(url);
    const who = person(LONG.slice(0, 60).toLowerCase());
    await signUp(page, who);
    const ids = await seed(url, who, LONG);
    await page.setViewportSize({ width: WIDTH, height: 800 });
    await page.goto(`${url}/console`);
    await page.reload();
    await page.locator('h1').waitFor();
    const faults: string[] = [];
    for (const name of pagesOf(ids)) {
      await page.evaluate(`location.hash = '#/${name}'`);
      await settled(page);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      const wide = (await page.evaluate('document.scrollingElement.scrollWidth')) as number;
      if (wide > WIDTH) faults.push(`${name} is ${wide} wide: ${await page.evaluate(WIDEST)}`);
    }
    expect(faults).toEqual([]);
  }, 300_000);
});

/** Finds the innermost elements that overflow the page, outside of anything that scrolls by itself. */
const WIDEST = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > ${WIDTH} + 1 && !one.closest('.scroll, .skip, .hidden'))
  .filter((one, _at, all) => !all.some((other) => other !== one && one.contains(other)))
  .slice(0, 3).map((one) => one.outerHTML.slice(0, 160)).join(' ')`;
