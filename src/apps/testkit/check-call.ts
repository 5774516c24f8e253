import type { PlayedCall, PlayedStep } from './played.ts';
import type { ServerApi } from './server-api.ts';
import type { Expectation, WholeExpectation } from './suite.ts';
import type { TextSimilarity } from './text-similarity.ts';

export interface CheckResult {
  readonly what: string;
  readonly passed: boolean;
  readonly got: string;
}

export interface CheckNeeds {
  readonly api: ServerApi;
  readonly similarity: TextSimilarity | null;
}

const ALIKE = 0.6;

export async function checkCall(
  call: PlayedCall,
  whole: WholeExpectation | undefined,
  needs: CheckNeeds,
): Promise<CheckResult[]> {
  const verdicts: CheckResult[] = [];
  for (const [at, step] of call.steps.entries()) {
    const named = (verdict: CheckResult) => ({
      ...verdict,
      what: `step ${at + 1} (${step.what.slice(0, 60)}): ${verdict.what}`,
    });
    verdicts.push(...(await checkStep(step, needs)).map(named));
  }
  if (whole !== undefined) verdicts.push(...(await checkWholeCall(call, whole, needs)));
  return verdicts;
}

const listOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? [value] : value;

/** The comparison ignores case, punctuation and spaces, because speech has none. */
const plain = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

async function checkStep(step: PlayedStep, needs: CheckNeeds): Promise<CheckResult[]> {
  const expected: Expectation = { ...impliedExpectation(step.kind), ...step.expect };
  const verdicts: CheckResult[] = [];
  const hold = (what: string, passed: boolean, got: unknown) =>
    void verdicts.push({ what, passed, got: String(got) });
  const { said } = step;
  for (const words of listOf(expected.says ?? []))
    hold(`says “${words}”`, plain(said).includes(plain(words)), said);
  for (const words of listOf(expected.says_not ?? []))
    hold(`does not say “${words}”`, !plain(said).includes(plain(words)), said);
  for (const words of listOf(expected.heard ?? []))
    hold(`was heard as “${words}”`, plain(step.heard).includes(plain(words)), step.heard);
  if (expected.matches !== undefined)
    hold(`matches /${expected.matches}/i`, new RegExp(expected.matches, 'i').test(said), said);
  if (expected.meaning !== undefined)
    verdicts.push(await checkMeaning(expected.meaning, said, needs.similarity));
  if (expected.within_ms !== undefined)
    hold(
      `answers within ${expected.within_ms} ms`,
      step.gapMs !== null && step.gapMs <= expected.within_ms,
      `${step.gapMs} ms`,
    );
  if (expected.silent !== undefined)
    hold(`silent: ${expected.silent}`, (said === '') === expected.silent, said);
  if (expected.interrupted !== undefined)
    hold(`interrupted: ${expected.interrupted}`, step.interrupted === expected.interrupted, step.interrupted);
  const called = JSON.stringify(step.tools);
  if (expected.tool !== undefined) {
    const { name, arguments: args = {} } = expected.tool;
    const found = step.tools.some((tool) => tool.name === name && holdsAll(tool.arguments, args));
    hold(`calls ${name} ${JSON.stringify(args)}`, found, called);
  }
  if (expected.no_tool === true) hold('calls no tool', step.tools.length === 0, called);
  return verdicts;
}

/** An interruption must silence the agent, and a backchannel must not. */
function impliedExpectation(kind: string): Expectation {
  if (kind === 'interrupt') return { interrupted: true };
  return kind === 'backchannel' ? { interrupted: false } : {};
}

async function checkMeaning(
  wanted: NonNullable<Expectation['meaning']>,
  said: string,
  similarity: TextSimilarity | null,
): Promise<CheckResult> {
  const { text, at_least } = typeof wanted === 'string' ? { text: wanted, at_least: ALIKE } : wanted;
  const what = `means “${text}” (${at_least} or more)`;
  if (similarity === null)
    return { what, passed: false, got: 'the embedding model is not installed on this machine' };
  const sentences = [said, ...said.split(/(?<=[.!?])\s+/)].filter((one) => one !== '');
  let best = -1;
  for (const sentence of sentences) best = Math.max(best, await similarity(text, sentence));
  return { what, passed: best >= at_least, got: `${best.toFixed(2)}: ${said}` };
}

export function holdsAll(given: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return String(given) === String(expected);
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(expected).every(([name, value]) =>
    holdsAll((given as Record<string, unknown>)[name], value),
  );
}

async function checkWholeCall(
  call: PlayedCall,
  expected: WholeExpectation,
  { api }: CheckNeeds,
): Promise<CheckResult[]> {
  const verdicts: CheckResult[] = [];
  const hold = (what: string, passed: boolean, got: unknown) =>
    void verdicts.push({ what, passed, got: String(got) });
  if (expected.outcome !== undefined)
    hold(`ends as ${expected.outcome}`, call.outcome === expected.outcome, call.outcome);
  for (const [slot, value] of Object.entries(expected.slots ?? {}))
    hold(`captures ${slot} = ${value}`, call.slots[slot] === value, JSON.stringify(call.slots));
  if (expected.tools !== undefined) {
    const names = call.tools.map(({ name }) => name);
    hold(
      `calls ${expected.tools.join(', ') || 'no tool'}`,
      names.join() === expected.tools.join(),
      names.join(', '),
    );
  }
  if (expected.path !== undefined) {
    const nodes = (call.record?.path ?? []).map(({ node }) => node);
    hold(
      `goes ${expected.path.join(' → ')}`,
      nodes.join() === expected.path.join(),
      nodes.join(' → ') || 'no flow',
    );
  }
  if (expected.cost !== undefined) {
    const cost = ((call.record?.duration_s ?? Infinity) / 60) * expected.cost.per_minute;
    hold(`costs at most ${expected.cost.at_most}`, cost <= expected.cost.at_most, cost.toFixed(4));
  }
  if (expected.trace !== undefined) {
    const { rule_packs, violations_at_most: most } = expected.trace;
    const judged = await api.send<{ violations: { rule_id: string }[] }>('POST', '/v1/trace/interactions', {
      call_id: call.callId,
      ...(rule_packs === undefined ? {} : { rule_packs }),
    });
    const broken = judged.violations.map(({ rule_id }) => rule_id);
    hold(`breaks at most ${most} rules`, broken.length <= most, broken.join(', ') || 'none');
  }
  return verdicts;
}
