import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Report } from './report.ts';

export interface BenchOptions {
  quick: boolean;
  /** The command line names parts of a benchmark that is too long to run at once. */
  parts: readonly string[];
}

/**
 * The frame of every benchmark program: reads `--json FILE`, `--reports FOLDER` and `--quick`, lets `measure` fill the
 * report, writes it and prints the figures. A missed goal is reported, not an error: exit status 1 means that the
 * benchmark itself failed.
 */
export async function runBench(
  name: string,
  title: string,
  measure: (report: Report, options: BenchOptions) => void | Promise<void>,
): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      reports: { type: 'string', default: 'bench/reports' },
      quick: { type: 'boolean', default: false },
    },
  });
  const report = new Report(name, title);
  await measure(report, { quick: values.quick, parts: positionals });
  // A quick run must not overwrite a real report by accident: it writes only to a named file or folder.
  if (!values.quick || values.json !== undefined) {
    report.write(
      resolve(values.quick ? 'build-bench/quick' : values.reports),
      values.json && resolve(values.json),
    );
  }
  for (const figure of report.figures) {
    const goal = figure.goal === null ? '' : `  goal ${figure.goal} ${figure.holds ? 'holds' : 'MISSED'}`;
    const peer = figure.peer === null ? '' : `  (${figure.peer} ${figure.peer_value})`;
    console.log(`${figure.name}: ${figure.value} ${figure.unit}${goal}${peer}`);
  }
}
