import { digitRuns } from './digits.ts';
import { emailFindings } from './email.ts';
import { ENTITIES, type Entity, type Finding } from './finding.ts';
import { numericFindings } from './numeric.ts';

/** Everything personal in a text, in order and without overlaps. The same text always gives the same findings. */
export function scan(text: string, entities: readonly Entity[] = ENTITIES): readonly Finding[] {
  const emails = emailFindings(text);
  const numbers = numericFindings(text).filter(
    ({ start, end }) => !emails.some((email) => start < email.end && email.start < end),
  );
  const merged: Finding[] = [];
  for (const finding of [...emails, ...numbers].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && finding.start < last.end) {
      if (finding.end > last.end) merged[merged.length - 1] = { ...last, end: finding.end };
    } else merged.push(finding);
  }
  return merged.filter(({ type }) => entities.includes(type));
}

/** What a later word could still make personal, or more of it: nothing may be cut there. */
export function unsettledSpans(text: string): readonly { readonly start: number; readonly end: number }[] {
  const runs = digitRuns(text).map((run) => ({ start: run[0]?.start ?? 0, end: run.at(-1)?.end ?? 0 }));
  return [...runs, ...emailFindings(text)];
}
