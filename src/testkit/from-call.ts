import { stringify } from 'yaml';
import type { CallRecord } from './api.ts';
import type { Step, Suite } from './suite.ts';

const ALIKE = 0.5;

/** A call that was held, as a suite: the caller's words are spoken anew, the agent's are what is meant. */
export function suiteOf(record: CallRecord): Suite {
  const entries = record.transcript?.entries ?? [];
  if (record.agent_id === null)
    throw new Error(`${record.call_id} named no agent: what answered it cannot be called again`);
  const steps: Step[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.role !== 'user' || entry.text === '') continue;
    const answers = entries.slice(at + 1);
    const until = answers.findIndex(({ role }) => role === 'user');
    const said = (until < 0 ? answers : answers.slice(0, until))
      .map(({ text }) => text)
      .join(' ')
      .trim();
    const before = entries[at - 1];
    const expect = said === '' ? {} : { expect: { meaning: { text: said.slice(0, 4000), at_least: ALIKE } } };
    if (before?.role === 'agent' && before.interrupted && steps.length > 0)
      steps.push({
        interrupt: { after_ms: Math.max(300, entry.start_ms - before.start_ms), say: entry.text },
        ...expect,
      });
    else steps.push({ say: entry.text, ...expect });
  }
  if (steps.length === 0) throw new Error(`in ${record.call_id} the caller said nothing`);
  return {
    name: `Call ${record.call_id}`,
    about: 'Made from a recorded call: its words are spoken anew by a voice of the test kit.',
    agent_id: record.agent_id,
    scenarios: [{ name: record.call_id, steps }],
  };
}

export const yamlOf = (suite: Suite): string => stringify(suite, { lineWidth: 100 });
