import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';
import { clangFormat, cppSources } from './clang-format.mjs';

export function checksOf(root) {
  const node =
    (...args) =>
    () =>
      outcome(run(process.execPath, args, { cwd: root }));
  const bin = (name) => join(root, 'node_modules', name);
  return [
    ['type check', node(bin('typescript/bin/tsc'), '-p', 'tsconfig.test.json')],
    ['type check of the console', node(bin('typescript/bin/tsc'), '-p', 'src/apps/console/tsconfig.json')],
    ['lint', node(bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings')],
    ['words', node('scripts/lint-words.mjs')],
    ['C++ layout', () => cppLayout(root)],
    ['boundaries', node('scripts/check-boundaries.mjs')],
    ['notices', node('scripts/notices.mjs', '--check')],
    ['recipes', () => recipes(root)],
  ];
}

async function outcome(running) {
  const { code, stdout, stderr } = await running;
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output: stdout + stderr };
}

async function cppLayout(root) {
  const files = cppSources(root);
  const { program, env } = await clangFormat();
  const all = [];
  for (let at = 0; at < files.length; at += 100) {
    all.push(await run(program, ['--dry-run', '-Werror', ...files.slice(at, at + 100)], { cwd: root, env }));
  }
  const bad = all.filter(({ code }) => code !== 0);
  return {
    passed: bad.length === 0 ? 1 : 0,
    failed: bad.length === 0 ? 0 : 1,
    output: bad.length > 0 ? `${bad.map(({ stderr }) => stderr).join('')}fix it with: npm run format` : '',
  };
}

async function recipes(root) {
  const { recipePackages } = await import('../models/recipes.mjs');
  const { defaultRoot, packagesFolder } = await import('../models/layout.mjs');
  const tests = readdirSync(join(root, 'models/recipes'), { recursive: true }).filter((name) =>
    /(^|\/)test_[^/]+\.py$/.test(name),
  );
  let passed = 0;
  let output = '';
  for (const name of tests) {
    const from = packagesFolder();
    const packages = await recipePackages(defaultRoot(), (line) => console.log(line), { from });
    const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
    const result = await run('python3', ['-m', 'unittest', '-q', join(root, 'models/recipes', name)], {
      cwd: root,
      env,
    });
    if (result.code === 0) passed += 1;
    else output += result.stdout + result.stderr;
  }
  return { passed, failed: tests.length - passed, output };
}
