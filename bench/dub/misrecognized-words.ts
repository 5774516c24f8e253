import { words } from '../speak/sound.ts';

interface Way {
  readonly cost: number;
  readonly wrong: readonly string[];
}
type Row = readonly Way[];

/** Each entry is `said → heard`; a dash stands for no word. */
export function misrecognizedWords(said: string, heard: string): readonly string[] {
  const [a, b] = [words(said), words(heard)];
  let row: Row = Array.from({ length: b.length + 1 }, (_, at) => ({
    cost: at,
    wrong: b.slice(0, at).map((word) => `– → ${word}`),
  }));
  for (const word of a) row = nextRow(row, word, b);
  return row[b.length]!.wrong;
}

function nextRow(row: Row, word: string, heard: readonly string[]): Row {
  const [first] = row;
  const next: Way[] = [{ cost: first!.cost + 1, wrong: [...first!.wrong, `${word} → –`] }];
  for (const [at, other] of heard.entries()) {
    const step = (from: Way, wrong: string, cost = 1) => ({
      cost: from.cost + cost,
      wrong: cost === 0 ? from.wrong : [...from.wrong, wrong],
    });
    const ways = [
      word === other ? step(row[at]!, '', 0) : step(row[at]!, `${word} → ${other}`),
      step(row[at + 1]!, `${word} → –`),
      step(next[at]!, `– → ${other}`),
    ];
    next.push(ways.reduce((best, way) => (way.cost < best.cost ? way : best)));
  }
  return next;
}
