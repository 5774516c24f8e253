import { describe, expect, it } from 'vitest';
import { askedModel } from '../../brain/local/asked.ts';
import { isAbsent } from '../../brain/local/real-model.ts';
import { openCast } from './world.ts';

const script = 'ANNA: Are they gone…\nBEN: Yes! They ran away.\nANNA: (whispering) Thank you.';

interface Told {
  readonly direction: Record<string, unknown>;
  readonly directed_by: string;
}

/** What an answer says of the lines, looked at without the product; none: it is no such object. */
function linesIn(answer: string): readonly { line?: unknown }[] {
  try {
    const { lines } = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
    return Array.isArray(lines) ? lines : [];
  } catch {
    return [];
  }
}

describe.skipIf(isAbsent)('a real local model', () => {
  const asked = askedModel({ maxTokens: 60 });

  it('directs what it answers well, and rules direct the rest', { timeout: 120_000 }, async () => {
    const { brain, answers, faults } = asked();
    const cast = await openCast(undefined as never, { idle: true, model: brain });
    expect((await cast.ask('GET', '/capabilities')).direction).toEqual(['model', 'rules']);
    const project = await cast.make({ script });
    const { lines } = await cast.ask('POST', `/projects/${project.id}/direct`, {});
    expect(faults).toEqual([]);
    expect(answers).toHaveLength(1);
    expect(answers[0]).not.toBe('');
    const named = linesIn(answers[0]!).map(({ line }) => line);
    const ruled = await openCast(undefined as never, { idle: true });
    const other = await ruled.make({ script });
    const { lines: byRules } = await ruled.ask('POST', `/projects/${other.id}/direct`, {});
    for (const [at, { direction, directed_by: by }] of (lines as Told[]).entries()) {
      if (by === 'model') expect(named).toContain(at);
      else expect({ direction, by }).toEqual({ direction: byRules[at].direction, by: 'rules' });
    }
  });
});
