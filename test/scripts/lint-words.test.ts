import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'words-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function lint(files: Record<string, string>, ...args: string[]) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const run = spawnSync('node', ['scripts/lint-words.mjs', '--root', root, ...args], { encoding: 'utf8' });
  return { code: run.status, out: run.stdout.trim(), err: run.stderr.trim() };
}

function findings(sources: readonly string[], path = 'src/telephony/dialling/file.ts'): string[][] {
  const pathOf = (index: number) => path.replace('file', `file-${index}`);
  const files = Object.fromEntries(sources.map((source, index) => [pathOf(index), `${source}\n`]));
  const lines = lint(files, '--report', 'src', 'native').out.split('\n');
  return sources.map((_, index) => {
    const start = `${pathOf(index)}:`;
    return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  });
}

it('finds words that names do not use', () => {
  const cases = {
    'class KeptSounds {}': "1: the type 'KeptSounds' says what the field calls cached, stored or retained",
    '\nconst MOST_OWED = 1;':
      "2: the value 'MOST_OWED' says what the field calls reservation, ledger or outstanding usage",
    'interface A {\n  readonly callDesk: number;\n}':
      "2: the value 'callDesk' says what the field calls dispatcher, service or handler",
    'class A {\n  #insist() {}\n}': "2: the function 'insist' says what the field calls retry with backoff",
    'const { a: told, ...b } = c;':
      "1: the value 'told' says what the field calls published, notified or reported",
    'function f(patienceMs: number) {}':
      "1: the value 'patienceMs' says what the field calls deadline or timeout",
  };
  expect(findings(Object.keys(cases))).toEqual(Object.values(cases).map((expected) => [expected]));
});

it('leaves the field’s own uses, and what is not declared, alone', () => {
  const sources = [
    'const { told: reported } = row;',
    'send({ owed: 1, kept: true });',
    'const hold = () => call.hold();',
    'const wallClock = 1, priceBook = 2, roomTone = 3, mayReach = 4, unreachable = 5;',
    "const text = 'a desk in a room';",
  ];
  expect(findings(sources).flat()).toEqual([]);
});

it('knows a hold of credit from a call on hold', () => {
  const files = {
    'src/foundation/billing/a.ts': 'const hold = 1;\n',
    'src/telephony/dialling/a.ts': 'const hold = 1;\n',
  };
  expect(lint(files, '--report', 'src').out).toBe(
    "src/foundation/billing/a.ts:1: the value 'hold' says what the field calls reservation",
  );
});

it('reads the names of files and folders, once each', () => {
  expect(findings(['export {};'], 'src/telephony/walls/call-desk-file.ts')).toEqual([
    [
      "1: the path 'walls' says what the field calls sandbox",
      "1: the path 'call-desk-file-0' says what the field calls dispatcher, service or handler",
    ],
  ]);
});

it('finds comments that begin with a fragment', () => {
  const comments = [
    '/** Of the leg. */',
    '/** Null: nobody asked. */',
    '// None where the call has ended.',
    '// What waits for the lane.',
    '/**\n * By source network.\n */',
    '// in milliseconds',
  ];
  for (const [index, found] of findings(comments).entries()) {
    expect(found, comments[index]).toHaveLength(1);
    expect(found[0]).toMatch(/^1: the comment begins with a fragment: /);
  }
});

it('takes sentences, and what is no comment', () => {
  const sources = [
    '/** The leg that speaks. */',
    '/** In a conference, every participant hears the mix. */',
    '// The pool grows\n// by one worker.',
    "const url = 'https://of.example'; // Set by the carrier.",
    "const text = 'ärger – 😀 // Of a text';",
    'const pattern = /[/]/; const all = `// Of it`;',
    '// biome-ignore lint: a reason',
  ];
  expect(findings(sources).flat()).toEqual([]);
});

it('finds two classes of one name, of one namespace in native code', () => {
  const files = {
    'src/a/b/c.ts': 'export class Worker {}\n',
    'src/d/e/f.ts': '\nclass Worker {}\n',
    'src/d/e/g.ts': 'export interface Worker {}\n',
    'native/a/b.h': 'namespace trunkline::a {\nclass Pool {\n  struct Slot {};\n};\n}\n',
    'native/a/c.cc':
      'namespace trunkline::a {\nnamespace {\nstruct Pool {\n};\n}\nclass Pool::Impl {\n};\n}\n',
    'native/d/e.h': 'namespace trunkline::d {\nclass Pool final : public Base {\n  struct Slot {};\n};\n}\n',
  };
  expect(lint(files, '--report', 'src', 'native').out.split('\n')).toEqual([
    'native/a/b.h:2: the class trunkline::a::Pool has the name of one in native/a/c.cc',
    'native/a/c.cc:3: the class trunkline::a::Pool has the name of one in native/a/b.h',
    'src/a/b/c.ts:1: the class Worker has the name of one in src/d/e/f.ts',
    'src/d/e/f.ts:2: the class Worker has the name of one in src/a/b/c.ts',
  ]);
});

it('reads native names and comments', () => {
  const source =
    '// Of the leg.\nconstexpr double kPatienceMs = 1;\n#define X "// Of"\nint Told(int a) { return 1\'000; }  // the limit\n';
  expect(findings([source], 'native/a/file.cc')[0]).toEqual([
    '1: the comment begins with a fragment: Of the leg.',
    "2: the value 'kPatienceMs' says what the field calls deadline or timeout",
    "4: the function 'Told' says what the field calls published, notified or reported",
  ]);
});

it('fails for folders that are clean alone, and counts the others', () => {
  const files = {
    'src/a/b/c.ts': '// Of it.\n',
    'src/a/bc/d.ts': '// Of it.\n',
    'test/e/f/g/h.ts': '// Of it.\n',
  };
  expect(lint(files, '--clean', 'test/e/g')).toEqual({ code: 0, out: '', err: '' });
  for (const path of ['src/a/b', './src/a/b/', join(root, 'src/a/b/c.ts')])
    expect(lint({}, '--report', path).out).toBe('src/a/b/c.ts:1: the comment begins with a fragment: Of it.');
  const failed = lint(files, '--clean', 'src/a/b');
  expect(failed.code).toBe(1);
  expect(failed.err).toBe(
    'src/a/b/c.ts:1: the comment begins with a fragment: Of it.\n1 findings in folders that are clean (scripts/words/rules.mjs)',
  );
  expect(lint(files, '--report').out).toMatch(
    /^1 {2}src\/a\/b\n +1 {2}src\/a\/bc\n +1 {2}test\/e\/f\n +3 {2}findings$/,
  );
});
