/** A benchmark too long to run at once: each part keeps what it measured, and the report is made of all that is kept. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FigureInput, Report } from '../harness/index.ts';

type Entry =
  | { readonly figure: FigureInput }
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly table: [string[], (string | number | null)[][]] }
  | { readonly plot: [string, string, string] };

/** Takes what a report takes, to be told again later. */
export class Section {
  readonly entries: Entry[] = [];

  figure(figure: FigureInput): void {
    this.entries.push({ figure });
  }
  heading(heading: string): void {
    this.entries.push({ heading });
  }
  text(text: string): void {
    this.entries.push({ text });
  }
  table(columns: string[], rows: (string | number | null)[][]): void {
    this.entries.push({ table: [columns, rows] });
  }
  plot(id: string, caption: string, svg: string): void {
    this.entries.push({ plot: [id, caption, svg] });
  }
}

const folder = (quick: boolean): string => resolve('build-bench', quick ? 'speak-quick' : 'speak');

export function keepPart(name: string, section: Section, quick: boolean): void {
  mkdirSync(folder(quick), { recursive: true });
  const kept = { measured: new Date().toISOString(), entries: section.entries };
  writeFileSync(join(folder(quick), `${name}.json`), JSON.stringify(kept));
}

/** Rows of a part that is measured a piece at a time. */
export function keepRows(name: string, rows: readonly unknown[], quick: boolean): void {
  mkdirSync(folder(quick), { recursive: true });
  writeFileSync(join(folder(quick), `${name}.rows.json`), JSON.stringify(rows));
}

export function readRows<Row>(name: string, quick: boolean): Row[] {
  try {
    return JSON.parse(readFileSync(join(folder(quick), `${name}.rows.json`), 'utf8')) as Row[];
  } catch {
    return [];
  }
}

/** False, and said so in the report, where the part was never measured. */
export function tellPart(report: Report, name: string, quick: boolean): boolean {
  let kept: { measured: string; entries: Entry[] };
  try {
    kept = JSON.parse(readFileSync(join(folder(quick), `${name}.json`), 'utf8')) as typeof kept;
  } catch {
    report.heading(`Not measured: ${name}`);
    report.text(`\`npm run bench:speak -- ${name}\` measures it.`);
    return false;
  }
  for (const entry of kept.entries) {
    if ('figure' in entry) report.figure(entry.figure);
    else if ('heading' in entry) report.heading(entry.heading);
    else if ('text' in entry) report.text(entry.text);
    else if ('table' in entry) report.table(...entry.table);
    else report.plot(...entry.plot);
  }
  return true;
}
