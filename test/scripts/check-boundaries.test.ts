import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'boundaries-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function check(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const done = spawnSync('node', ['scripts/check-boundaries.mjs', root], { encoding: 'utf8' });
  return { code: done.status, said: done.stderr };
}

const entryPoint = {
  'src/foundation/storage/index.ts': 'export const open = 1;\n',
  'src/foundation/platform/ids.ts': 'export const id = 1;\n',
};

it('accepts the dependencies of the design', () => {
  const files = {
    ...entryPoint,
    'src/foundation/access/api-keys.ts':
      "import { open } from '../storage/index.ts';\nimport { id } from '../platform/ids.ts';\nopen + id;\n",
    'native/lanes/omni/a.cc': '#include "dsp/dsp.h"\n#include "base/bytes.h"\n#include <vector>\n',
    'native/text/tokens/a.cc':
      '#include "text/unicode/unicode.h"\nnamespace trunkline::text {\nnamespace en {\n}\nnamespace {\n}\n}\n',
    'native/test/lanes/omni/a.h': 'namespace trunkline::test {\n// namespace engine {\n}\n',
  };
  expect(check(files)).toEqual({ code: 0, said: '' });
});

const crossings: [string, Record<string, string>, RegExp][] = [
  [
    'a file that reads rows across tenants and is not listed',
    { 'src/foundation/access/api-keys.ts': 'export const acrossTenants = 1;\n' },
    /foundation\/access\/api-keys\.ts: reads rows across tenants/,
  ],
  [
    'a module that is used against the rule',
    {
      ...entryPoint,
      'src/foundation/platform/bad.ts': "import { open } from '../storage/index.ts';\nopen;\n",
    },
    /src\/foundation\/platform\/bad\.ts:1: foundation\/platform may not use foundation\/storage/,
  ],
  [
    'an inner file of another module',
    {
      'src/foundation/storage/inner.ts': 'export const x = 1;\n',
      'src/foundation/access/a.ts': "\nexport { x } from '../storage/inner.ts';\n",
    },
    /src\/foundation\/access\/a\.ts:2: foundation\/storage\/inner\.ts is not an entry point of foundation\/storage/,
  ],
  [
    'one surface in another',
    {
      'src/edge/surfaces/hear/index.ts': 'export const x = 1;\n',
      'src/edge/surfaces/speak/a.ts': "import '../hear/index.ts';\n",
    },
    /edge\/surfaces\/speak uses edge\/surfaces\/hear/,
  ],
  [
    'an import() that is computed late',
    {
      ...entryPoint,
      'src/media/wire/a.ts': "export const late = () => import('../../foundation/storage/index.ts');\n",
    },
    /media\/wire may not use foundation\/storage/,
  ],
  [
    'a type that is imported in place',
    {
      ...entryPoint,
      'src/media/wire/a.ts': "export type T = import('../../foundation/storage/index.ts').T;\n",
    },
    /media\/wire may not use foundation\/storage/,
  ],
  [
    'a module that nobody planned',
    { 'src/helpers/a.ts': "import './b.ts';\n", 'src/helpers/b.ts': '' },
    /'helpers' is not a module/,
  ],
  [
    'the listener outside the server',
    { 'src/media/wire/a.ts': "import 'uWebSockets.js';\n" },
    /only src\/edge\/server knows/,
  ],
  [
    'main, which nobody imports',
    { 'src/main/main.ts': '', 'src/edge/server/a.ts': "import '../../main/main.ts';\n" },
    /edge\/server may not use main/,
  ],
  [
    'Node inside the engine',
    { 'native/engine/a.h': '#include <napi.h>\n' },
    /only native\/binding includes napi\.h/,
  ],
  [
    'one model module in another',
    { 'native/asr/a.cc': '// x\n#include "tts/voice.h"\n' },
    /a\.cc:2: asr may not include tts/,
  ],
  [
    'a kind in the engine, which knows no product',
    { 'native/engine/a.cc': '#include "lanes/omni/lane.h"\n' },
    /engine may not include lanes\/omni/,
  ],
  [
    'an inner header of another native module',
    { 'native/lanes/omni/a.cc': '#include "lanes/hear/stream.h"\n' },
    /lanes\/hear\/stream\.h is not the entry point of lanes\/hear \(lanes\/hear\/hear\.h\)/,
  ],
  [
    'one module of text in another',
    { 'native/text/reading/a.cc': '#include "text/tokens/piece_tokens.h"\n' },
    /text\/reading may not include text\/tokens/,
  ],
  [
    'a native module that is not in the rules',
    { 'native/helpers/a.cc': '#include <vector>\n' },
    /native\/helpers\/a\.cc: its folder is not a module/,
  ],
  [
    'a namespace that is not its module’s',
    { 'native/lanes/hear/a.cc': '// x\nnamespace trunkline::engine {\n}\n' },
    /hear\/a\.cc:2: namespace trunkline::engine, where its folder asks for trunkline::hear/,
  ],
  [
    'a module whose name only begins alike',
    { 'native/lanes/speak/a.h': 'namespace trunkline::speaker { int a; }\n' },
    /speak\/a\.h:1: namespace trunkline::speaker/,
  ],
  [
    'a second namespace behind that of the module',
    { 'native/lanes/omni/a.h': 'namespace trunkline::omni {\nint a;\n}\nnamespace trunkline {\n}\n' },
    /omni\/a\.h:4: namespace trunkline,/,
  ],
  [
    'a test in the namespace of another module',
    { 'native/test/lanes/speak/a_test.cc': 'namespace trunkline::tts {\n}\n' },
    /speak\/a_test\.cc:1: .* asks for trunkline::speak or trunkline::test/,
  ],
  [
    'the inference runtime outside its module',
    { 'native/vad/a.cc': '#include "onnx/ort_abi.h"\n' },
    /only native\/onnx includes/,
  ],
];

it.each(crossings)('catches %s', (_name, files, message) => {
  const { code, said } = check(files);
  expect(code).toBe(1);
  expect(said).toMatch(message);
});

it('is not misled by comments, strings and templates', () => {
  const text =
    "// import '../storage/index.ts';\nexport const a = `import x from '../storage/index.ts'`;\n/* import '../storage/index.ts' */\n";
  const native = '/*\n#include <napi.h>\n*/\n// #include <napi.h>\n';
  expect(check({ ...entryPoint, 'src/media/wire/a.ts': text, 'native/dsp/a.cc': native }).said).toBe('');
});

it('holds for this project', () => {
  const done = spawnSync('node', ['scripts/check-boundaries.mjs'], { encoding: 'utf8' });
  expect(done.stderr).toBe('');
});

it('finds a cycle of modules in the rules', async () => {
  const { cycleIn } = (await import(`${import.meta.dirname}/../../scripts/boundaries/typescript.mjs`)) as {
    cycleIn(rules: Record<string, string[] | '*'>): string[] | undefined;
  };
  expect(cycleIn({ a: ['b', 'c'], b: ['c'], c: [], main: '*' })).toBeUndefined();
  expect(cycleIn({ a: ['b'], b: ['c'], c: ['b'] })).toEqual(['b', 'c', 'b']);
});
