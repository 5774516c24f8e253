import { AnswerClassifier } from './answer-classifier.ts';
import type { AnswerVerdict, Evidence } from './contract.ts';
import type { AnswerModel } from './phrases/index.ts';
import type { Tunables } from './tunables.ts';

export const LOOK_MS = 100;

export function replay(
  evidence: readonly Evidence[],
  endMs: number,
  model: AnswerModel,
  tunables: Tunables,
): AnswerVerdict {
  const judge = new AnswerClassifier(model, tunables);
  let next = 0;
  for (let now = LOOK_MS; now <= endMs; now += LOOK_MS) {
    while (next < evidence.length && evidence[next]!.atMs <= now) judge.take(evidence[next++]!);
    const verdict = judge.at(now);
    if (verdict) return verdict;
  }
  for (const last of evidence.slice(next)) judge.take(last);
  return judge.at(endMs) ?? judge.end(endMs);
}
