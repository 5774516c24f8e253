import type { ScenarioResult, ScenarioTrial } from './run-suites.ts';

export const escapeXml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of them.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const faultsOf = ({ error, verdicts }: ScenarioTrial): string[] =>
  error === null
    ? verdicts.filter(({ passed }) => !passed).map(({ what, got }) => `${what}; got: ${got}`)
    : [error];

export function junit(results: readonly ScenarioResult[]): string {
  const cases = results.map((result) => {
    const head = `<testcase classname="${escapeXml(result.suite)}" name="${escapeXml(result.name)}" time="${result.seconds.toFixed(3)}"`;
    if (result.passed) return `  ${head}/>`;
    const faults = result.trials.flatMap(faultsOf).join('\n');
    return `  ${head}><failure message="${escapeXml(faults.split('\n')[0] ?? '')}">${escapeXml(faults)}</failure></testcase>`;
  });
  const failed = results.filter(({ passed }) => !passed).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="trunkline" tests="${results.length}" failures="${failed}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}

export interface BaselineScenario {
  readonly suite: string;
  readonly name: string;
  readonly passed: boolean;
  readonly pass_k: readonly number[];
  readonly gaps_ms: readonly (number | null)[];
  readonly said: readonly string[];
}

export const baselineOf = (results: readonly ScenarioResult[]): BaselineScenario[] =>
  results.map(({ suite, name, passed, passK, trials }) => {
    const calls = trials.flatMap(({ call }) => call ?? []);
    const steps = calls[0]?.steps ?? [];
    return {
      suite,
      name,
      passed,
      pass_k: passK,
      gaps_ms: steps.map((_, at) => middle(calls.flatMap((call) => call.steps[at]?.gapMs ?? []))),
      said: steps.map(({ said }) => said),
    };
  });

function middle(values: readonly number[]): number | null {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? null;
}

const SLOWER_MS = 200;

export interface BaselineDifference {
  readonly where: string;
  readonly what: string;
  readonly worse: boolean;
}

export function baselineDifferences(
  before: readonly BaselineScenario[],
  now: readonly BaselineScenario[],
): BaselineDifference[] {
  const found: BaselineDifference[] = [];
  for (const old of before) {
    const where = `${old.suite} / ${old.name}`;
    const same = now.find(({ suite, name }) => suite === old.suite && name === old.name);
    if (same === undefined) {
      found.push({ where, what: 'is no longer part of the suites', worse: true });
      continue;
    }
    if (old.passed !== same.passed)
      found.push({ where, what: same.passed ? 'passes now' : 'fails now', worse: !same.passed });
    for (const [at, said] of same.said.entries()) {
      const turn = `${where}, turn ${at + 1}`;
      if (old.said[at] !== said)
        found.push({ where: turn, what: `said “${old.said[at] ?? ''}”, now “${said}”`, worse: false });
      const [was, is] = [old.gaps_ms[at] ?? null, same.gaps_ms[at] ?? null];
      if (was !== null && is !== null && Math.abs(is - was) >= SLOWER_MS)
        found.push({ where: turn, what: `answered after ${was} ms, now ${is} ms`, worse: false });
    }
  }
  return found;
}

export function html(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Calls that were tested</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .2rem .6rem; border-top: 1px solid #8884 }
.failed { color: #c8501e } .passed { color: #2e7d32 } audio { width: 100% } h2 { margin-top: 2.5rem }
</style>
<h1>${results.length - failed} of ${results.length} scenarios passed</h1>
${results.map(section).join('\n')}
</html>
`;
}

const word = (passed: boolean): string =>
  `<span class="${passed ? 'passed' : 'failed'}">${passed ? 'passed' : 'failed'}</span>`;

function section({ suite, name, passed, passK, trials }: ScenarioResult): string {
  const chances = passK.map((chance, at) => `pass^${at + 1} ${(100 * chance).toFixed(0)} %`).join(', ');
  return `<h2>${escapeXml(suite)}: ${escapeXml(name)}</h2><p>${word(passed)}, ${chances}</p>${trials.map(trialPart).join('')}`;
}

function trialPart(trial: ScenarioTrial): string {
  const { call, verdicts } = trial;
  if (call === null) return `<p class="failed">${escapeXml(faultsOf(trial).join('; '))}</p>`;
  const rows = call.steps.map(
    ({ what, heard, said, gapMs }) =>
      `<tr><td>${escapeXml(what)}</td><td>${escapeXml(heard)}</td><td>${escapeXml(said)}</td><td>${gapMs ?? ''}</td></tr>`,
  );
  const judged = verdicts.map(
    ({ what, passed, got }) =>
      `<li>${word(passed)}: ${escapeXml(what)}${passed ? '' : `; got: ${escapeXml(got)}`}</li>`,
  );
  if (call.audio === null) return '';
  return `<audio controls preload="none" src="data:audio/wav;base64,${call.audio.toString('base64')}"></audio>
<table><tr><th>The caller</th><th>Heard</th><th>The agent</th><th>ms</th></tr>${rows.join('')}</table><ul>${judged.join('')}</ul>`;
}
