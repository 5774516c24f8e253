import type { Locator, Page } from 'playwright-core';

const MOST_TABS = 120;

interface Looked {
  matches(selector: string): boolean;
}

const isFocused = (what: Locator): Promise<boolean> =>
  what.evaluate((one) => (one as unknown as Looked).matches(':focus'));

export async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await isFocused(what)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no key leads to ${what}`);
}

export async function press(page: Page, what: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, what);
  await page.keyboard.press(key);
}

export async function type(page: Page, what: Locator, words: string): Promise<void> {
  await tabTo(page, what);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(words);
}

/** Goes to a page by the menu, whose group may be folded. */
export async function follow(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Pages' });
  const entry = page.locator('li').filter({ hasText: new RegExp(`^${name}`) });
  const shown = menu.locator(entry);
  await shown.waitFor({ state: 'attached' });
  if (!(await shown.isVisible()))
    await press(page, menu.locator('details').filter({ has: entry }).locator('summary'));
  await press(page, shown.getByRole('link'));
}
