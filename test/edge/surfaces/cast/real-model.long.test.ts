// @requirement Cast: A model can direct a script, and a schema checks what it answers.
import { describe, expect, it } from 'vitest';
import { askedModel } from '../../../conversation/brains/local/brain-request.ts';
import { isAbsent } from '../../../conversation/brains/local/real-model.ts';
import { openCast } from './server.ts';

const script = 'ANNA: Are they gone…\nBEN: Yes! They ran away.\nANNA: (whispering) Thank you.';

interface Reported {
  readonly direction: Record<string, unknown>;
  readonly directed_by: string;
}

/** Reads the line numbers without product code; a line that one answer cuts off continues in the next. */
const linesIn = (answers: readonly string[]): readonly number[] =>
  [...answers.join('').matchAll(/"line"\s*:\s*(\d+)/g)].map(([, line]) => Number(line));

describe.skipIf(isAbsent)('a real local model', () => {
  const asked = askedModel({ maxTokens: 60 });

  it('directs what it answers well, and rules direct the rest', { timeout: 120_000 }, async () => {
    const { brain, answers, faults } = asked();
    const cast = await openCast(undefined as never, { idle: true, model: brain });
    expect((await cast.ask('GET', '/capabilities')).direction).toEqual(['model', 'rules']);
    const project = await cast.make({ script });
    const { lines } = await cast.ask('POST', `/projects/${project.id}/direct`, {});
    expect(faults).toEqual([]);
    expect(answers.join('')).not.toBe('');
    const named = linesIn(answers);
    const ruled = await openCast(undefined as never, { idle: true });
    const other = await ruled.make({ script });
    const { lines: byRules } = await ruled.ask('POST', `/projects/${other.id}/direct`, {});
    for (const [at, { direction, directed_by: by }] of (lines as Reported[]).entries()) {
      if (by === 'model') expect(named).toContain(at);
      else expect({ direction, by }).toEqual({ direction: byRules[at].direction, by: 'rules' });
    }
  });
});
