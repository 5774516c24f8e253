import type { Page } from 'playwright-core';

export async function rowsOf(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole('table', { name, exact: true });
  await table.first().waitFor();
  const rows = await table.first().locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
}

export const unfold = (page: Page, plot: string): Promise<void> =>
  page.getByRole('figure').filter({ hasText: plot }).getByText('As a table').click();

export const figure = (value: number | null | undefined, digits = 0): string =>
  value === null || value === undefined
    ? '–'
    : new Intl.NumberFormat('en', { maximumFractionDigits: digits }).format(value);
