import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER, readGuide } from './guide.ts';

export interface Query {
  readonly title: string;
  readonly expr: string;
  readonly legend: string;
}

interface Board {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const board = JSON.parse(readFileSync(join(FOLDER, 'grafana/trunkline.json'), 'utf8')) as Board;

export const PANELS: readonly Query[] = board.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legend: legendFormat })),
);

export const NODES: string =
  /^label_values\((\w+), instance\)$/.exec(
    board.templating.list.find(({ name }) => name === 'node')?.definition ?? '',
  )?.[1] ?? '';

export const ALERTS: readonly string[] = readGuide('monitoring.md')
  .blocks.filter((block) => block.kind === 'data' && block.language === 'text')
  .flatMap(({ text }) => text.trim().split('\n'));

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
}

const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Parses Prometheus's text format and adds what Prometheus adds: `up`, and the labels of the target. */
export function samplesOf(metrics: string, from: Labels): Sample[] {
  const lines = `${metrics}\nup 1`.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = ''] = /^([\w:]+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    const own = [...labels.matchAll(LABEL)].map(([, label, value]) => [label, value]);
    return { name, labels: { ...Object.fromEntries(own), ...from } };
  });
}

const GROUPS = /\bby \(([^)]*)\)/g;
const RANGES = /\[[^\]]*\]/g;
/** A name before a parenthesis is a function, and no metric. */
const SELECTOR = /([a-z_:][\w:]*)(?:\{([^}]*)\})?(?![\w:]|\s*\()/gi;
const MATCHER = /(\w+)(=~|!~|!=|=)"([^"]*)"/g;

const HOLDS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '=~': (value, wanted) => new RegExp(`^(?:${wanted})$`).test(value),
  '!~': (value, wanted) => !new RegExp(`^(?:${wanted})$`).test(value),
};

export const asGrafana = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$node', '.*');

/** Matched labels must exist: PromQL treats a missing one as an empty value, without an error. */
const matching = (samples: readonly Sample[], name: string, matchers: string): Sample[] =>
  samples.filter(
    (sample) =>
      sample.name === name &&
      [...matchers.matchAll(MATCHER)].every(([, label = '', how = '', wanted = '']) => {
        const value = sample.labels[label];
        return value !== undefined && HOLDS[how]?.(value, wanted) === true;
      }),
  );

const namesIn = (list: string): string[] => list.split(',').map((name) => name.trim());

export function unanswered({ expr, legend }: Omit<Query, 'title'>, samples: readonly Sample[]): string[] {
  const groups = [...expr.matchAll(GROUPS)].map(([, list = '']) => namesIn(list));
  const selectors = [...asGrafana(expr).replace(GROUPS, '').replace(RANGES, '').matchAll(SELECTOR)];
  const found = selectors.map(([, name = '', labels = '']) => matching(samples, name, labels));
  const nothing = selectors.filter((_, at) => found[at]?.length === 0).map(([selector]) => selector);
  const lines = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  const absent = [...groups.flat(), ...lines].filter(
    (label) => !found.every((one) => one.some(({ labels }) => label in labels)),
  );
  const ungrouped = lines.filter((label) => groups.length > 0 && !groups.flat().includes(label));
  return selectors.length === 0 ? [expr] : [...nothing, ...new Set([...absent, ...ungrouped])];
}
