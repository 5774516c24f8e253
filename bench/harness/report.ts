import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Figure, type FigureInput, formatValue, makeFigure } from './figure.ts';
import { describeMachine, type Machine } from './machine.ts';

/**
 * Collects the figures of one benchmark in reading order, and writes them as JSON for programs and as Markdown with
 * SVG plots for people.
 */
export class Report {
  readonly figures: Figure[] = [];
  readonly machine: Machine;
  private readonly body: string[] = [];
  private readonly files = new Map<string, string>();
  private commit: string | null;

  constructor(
    readonly name: string,
    readonly title: string,
    machine: Machine = describeMachine(),
  ) {
    if (!/^[a-z0-9-]+$/.test(name))
      throw new TypeError(`report name: expected a-z 0-9 -, received "${name}"`);
    this.machine = machine;
    this.commit = machine.commit;
  }

  measuredAt(commit: string | null): void {
    this.commit = commit;
  }

  figure(input: FigureInput): Figure {
    const figure = makeFigure(input, this.commit);
    if (this.figures.some((known) => known.name === figure.name)) {
      throw new TypeError(`figure "${figure.name}" was reported twice`);
    }
    this.figures.push(figure);
    return figure;
  }

  heading(text: string): void {
    this.body.push(`## ${text}`);
  }

  text(paragraph: string): void {
    this.body.push(paragraph);
  }

  table(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): void {
    this.body.push(markdownTable(columns, rows));
  }

  plot(id: string, caption: string, svg: string): void {
    const file = `${this.name}-${id}.svg`;
    if (this.files.has(file)) throw new TypeError(`plot "${id}" was added twice`);
    this.files.set(file, svg);
    this.body.push(`![${caption}](${file})\n\n*${caption}*`);
  }

  json(): { machine: Machine; figures: Figure[] } {
    return { machine: this.machine, figures: this.figures };
  }

  markdown(): string {
    const m = this.machine;
    const missed = this.figures.filter((figure) => figure.holds === false).length;
    const held = this.figures.filter((figure) => figure.holds === true).length;
    const head = [
      `# ${this.title}`,
      `Measured ${m.date} with \`npm run bench -- ${this.name}\` on ${m.cpu}, ${m.cores} cores, ${m.memory_gb} GB, ${m.os}, ` +
        `Node ${m.node}${m.features.length > 0 ? `, with ${m.features.join(' ')}` : ''}` +
        this.when(),
    ];
    if (held + missed > 0) head.push(`Goals: ${held} hold, ${missed} ${missed === 1 ? 'is' : 'are'} missed.`);
    if (this.figures.length > 0) head.push(figureTable(this.figures));
    return `${[...head, ...this.body].join('\n\n')}\n`;
  }

  private when(): string {
    const { commit, load } = this.machine;
    const commits = new Set(this.figures.map((figure) => figure.commit ?? 'none'));
    if (commits.size > 1 || (this.figures.length > 0 && this.figures[0]?.commit !== commit))
      return `, in parts: the figures are of ${[...commits].join(', ')}, as each says in the JSON.`;
    return `${commit ? `, at ${commit}` : ''}. Load when it began: ${load}.`;
  }

  write(folder: string, jsonFile?: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${this.name}.md`), this.markdown());
    for (const [file, svg] of this.files) writeFileSync(join(folder, file), svg);
    if (jsonFile === undefined) return;
    mkdirSync(dirname(jsonFile), { recursive: true });
    writeFileSync(jsonFile, `${JSON.stringify(this.json(), null, 2)}\n`);
  }
}

function figureTable(figures: readonly Figure[]): string {
  return markdownTable(
    ['figure', 'value', 'unit', 'goal', 'holds', 'best peer', "peer's value"],
    figures.map((figure) => [
      figure.name,
      formatValue(figure.value),
      figure.unit,
      figure.goal,
      figure.holds === null ? null : figure.holds ? 'yes' : '**no**',
      figure.peer,
      figure.peer_value === null ? null : formatValue(figure.peer_value),
    ]),
  );
}

export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => isNumeric(row[at])));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (value: string | number | null | undefined) =>
    value === null || value === undefined
      ? ''
      : typeof value === 'number'
        ? formatValue(value)
        : value.replaceAll('|', '\\|');
  return [
    line(columns),
    line(numeric.map((yes) => (yes ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((_, at) => cell(row[at])))),
  ].join('\n');
}

function isNumeric(value: string | number | null | undefined): boolean {
  if (value === null || value === undefined || typeof value === 'number') return true;
  return /^\*{0,2}[-+]?[\d,.]+\*{0,2}$/.test(value) || value === '';
}
