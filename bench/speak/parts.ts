/** The benchmark is too long to run at once: each part stores its results, and the report uses all stored ones. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeMachine, type FigureInput, type Report } from '../harness/index.ts';

type Entry =
  | { readonly figure: FigureInput }
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly table: [string[], (string | number | null)[][]] }
  | { readonly plot: [string, string, string] };

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

export interface Origin {
  readonly measured: string;
  readonly commit: string | null;
  readonly load: number;
}

export function originNow(): Origin {
  const { commit, load } = describeMachine();
  return { measured: new Date().toISOString(), commit, load };
}

interface StoredOrigin extends Partial<Origin> {
  readonly measured: string;
  readonly entries: Entry[];
}

export function keepPart(name: string, section: Section, origin: Origin, quick: boolean): void {
  mkdirSync(folder(quick), { recursive: true });
  const stored: StoredOrigin = { ...origin, entries: section.entries };
  writeFileSync(join(folder(quick), `${name}.json`), JSON.stringify(stored));
}

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

function readPart(name: string, quick: boolean): StoredOrigin | null {
  try {
    return JSON.parse(readFileSync(join(folder(quick), `${name}.json`), 'utf8')) as StoredOrigin;
  } catch {
    return null;
  }
}

export function reportOrigins(report: Report, names: readonly string[], quick: boolean): void {
  report.heading('When each part was measured');
  report.text(
    'The head of this report is that of the run that wrote it; a part keeps the figures of the run that measured it.',
  );
  report.table(
    ['part', 'measured (UTC)', 'commit', 'load when it began'],
    names.map((name) => {
      const stored = readPart(name, quick);
      if (!stored) return [name, 'never', null, null];
      const at = stored.measured.slice(0, 16).replace('T', ' ');
      return [name, at, stored.commit ?? 'not noted', stored.load ?? 'not noted'];
    }),
  );
}

export function reportPart(report: Report, name: string, quick: boolean): void {
  const stored = readPart(name, quick);
  if (!stored) {
    report.heading(`Not measured: ${name}`);
    report.text(`\`npm run bench -- speak ${name}\` measures it.`);
    return;
  }
  for (const entry of stored.entries) {
    if ('figure' in entry) report.figure(entry.figure);
    else if ('heading' in entry) report.heading(entry.heading);
    else if ('text' in entry) report.text(entry.text);
    else if ('table' in entry) report.table(...entry.table);
    else report.plot(...entry.plot);
  }
}
