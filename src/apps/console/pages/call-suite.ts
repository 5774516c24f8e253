import type { Json } from '../data/api.ts';

const KEYPAD = /^\(keypad\)\s*([0-9*#]+)/;

/** JSON is valid YAML, so no other quoting is needed. */
const quoted = (text: string): string => JSON.stringify(text);

interface Step {
  readonly does: string;
  readonly expects: string[];
}

/** Tool calls before the caller's next turn belong to the caller's last one. */
function stepsOf(call: Json, entries: readonly Json[]): readonly Step[] {
  const steps: Step[] = [];
  entries.forEach((entry, nth) => {
    const { role, text, start_ms } = entry;
    if (role === 'user') {
      const keys = KEYPAD.exec(text)?.[1];
      const until = entries.slice(nth + 1).find((later) => later.role === 'user')?.start_ms ?? Infinity;
      const tool = (call.tool_calls ?? []).find(({ at_ms }: Json) => at_ms >= start_ms && at_ms < until);
      steps.push({
        does: keys === undefined ? `say: ${quoted(text)}` : `press: ${quoted(keys)}`,
        expects: tool === undefined ? [] : [`tool: { name: ${quoted(tool.name)} }`],
      });
      return;
    }
    const step = steps.at(-1);
    // A greeting answers no turn, and an interrupted answer is incomplete.
    if (step === undefined || entry.interrupted || step.expects.some((one) => one.startsWith('meaning')))
      return;
    step.expects.push(`meaning: ${quoted(text)}`);
  });
  return steps;
}

/** The suite repeats the caller's turns, and expects the same tool calls and answers of similar meaning. */
export function suiteOf(call: Json, entries: readonly Json[]): string {
  const steps = stepsOf(call, entries).flatMap(({ does, expects }) => [
    `      - ${does}`,
    ...(expects.length === 0 ? [] : [`        expect: { ${expects.join(', ')} }`]),
  ]);
  return [
    `name: ${quoted(`As in ${call.call_id}`)}`,
    ...(call.agent_id === null ? [] : [`agent_id: ${call.agent_id}`]),
    'scenarios:',
    '  - name: the same again',
    '    steps:',
    ...steps,
    '',
  ].join('\n');
}
