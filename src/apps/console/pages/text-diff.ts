export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this many lines the whole text is shown as replaced, because the table of the comparison would not fit. */
const MOST_LINES = 1_500;

/** The longest common subsequence of lines; a removed line comes before the one that replaces it. */
export function diffLines(before: string, after: string): DiffPart[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (old.length > MOST_LINES || now.length > MOST_LINES)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i]![j] =
        old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      parts.push({ kind: 'same', text: old[i]! });
      i++;
      j++;
    } else if (i < old.length && (j === now.length || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      parts.push({ kind: 'removed', text: old[i++]! });
    } else {
      parts.push({ kind: 'added', text: now[j++]! });
    }
  }
  return parts;
}
