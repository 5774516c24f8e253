import { askPython } from '../harness/peer-python.ts';

export interface Span {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const PRESIDIO = { name: 'Presidio', folder: 'trace', program: 'presidio.py' } as const;

export function presidio(
  all: readonly { readonly text: string; readonly language: string; readonly names?: boolean }[],
): Span[][] {
  const lines = askPython(
    PRESIDIO,
    all.map(({ text, language, names }) => ({ text, language, names })),
  );
  return lines.map((line) =>
    (JSON.parse(line) as [string, number, number][]).map(([type, start, end]) => ({ type, start, end })),
  );
}
