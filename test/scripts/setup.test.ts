import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

const file = (name: string, status: string, tests: Record<string, string>) => ({
  name,
  status,
  assertionResults: Object.entries(tests).map(([fullName, ended]) => ({
    fullName,
    status: ended,
    failureMessages: ended === 'failed' ? [`${fullName} broke\nat line 1`] : [],
  })),
});

describe('set-up', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'setup-'));
    for (const name of ['scripts', 'package.json', 'package-lock.json', 'models/manifest.json']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    mkdirSync(join(folder, 'bin'));
    symlinkSync(process.execPath, join(folder, 'bin/node'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const tool = (name: string, code = 0) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });

  function start() {
    const env = { PATH: join(folder, 'bin'), HOME: folder };
    const done = spawnSync(process.execPath, ['scripts/start.mjs'], { cwd: folder, env, encoding: 'utf8' });
    return { code: done.status, said: done.stdout + done.stderr };
  }

  it('names everything that a bare machine lacks at once, with the one command that installs it', () => {
    const { code, said } = start();
    expect(code).toBe(1);
    expect(said).toContain('missing on this machine: python3, pip, cmake, a C++ compiler, make');
    expect(said).toMatch(/apt-get install -y python3 python3-pip cmake g\+\+ make\n/);
    expect(said).not.toMatch(/^ {4}at /m);
  });

  it('names only what is missing', () => {
    for (const name of ['cmake', 'g++', 'make']) tool(name);
    tool('python3', 1); // there, but too old
    expect(start().said).toContain('missing on this machine: python3, pip\n');
  });

  it('waits for what a killed set-up left running', async () => {
    for (const name of ['cmake', 'g++', 'make']) tool(name);
    symlinkSync('/usr/bin/python3', join(folder, 'bin/python3'));
    const npm =
      '#!/bin/sh\necho . >> "$HOME/began"\nuntil [ -e "$HOME/go" ]; do /bin/sleep 0.02; done\nexit 1\n';
    writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
    const env = { PATH: join(folder, 'bin'), HOME: folder };
    const begin = () => spawn(process.execPath, ['scripts/start.mjs'], { cwd: folder, env });
    const says = async (child: ChildProcess, words: string) => {
      for await (const text of child.stdout!) if (String(text).includes(words)) return;
      throw new Error(`never said: ${words}`);
    };
    const killed = begin();
    await says(killed, 'dependencies: installing');
    await expect.poll(() => existsSync(join(folder, 'began')), { timeout: 20_000 }).toBe(true);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const next = begin();
    await says(next, 'dependencies: another process is installing; waiting for it');
    writeFileSync(join(folder, 'go'), '');
    await once(next, 'exit');
    expect(readFileSync(join(folder, 'began'), 'utf8')).toBe('.\n.\n');
  }, 60_000);

  it('shows what npm said when an install fails, and how to begin afresh', () => {
    for (const name of ['cmake', 'g++', 'make', 'python3']) tool(name);
    const npm = '#!/bin/sh\necho "npm warn noise" >&2\necho "npm error code EINTEGRITY" >&2\nexit 1\n';
    writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
    const { code, said } = start();
    expect(code).toBe(1);
    expect(said).toContain('dependencies: installing the packages of package-lock.json');
    expect(said).toContain('npm error code EINTEGRITY');
    expect(said).not.toContain('noise');
    expect(said).toContain('rm -rf node_modules && npm start');
  });
});

describe('the counts of npm test', () => {
  function evaluate(program: string): unknown {
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(done.stderr);
    return JSON.parse(done.stdout);
  }

  it('are read from ctest’s report; a test that could not run has failed', () => {
    const xml = '<testsuite name="(empty)" tests="9" failures="2" disabled="1" skipped="1" hostname="">';
    const program = `import { countJUnit } from './scripts/tests/native.mjs'; console.log(JSON.stringify(countJUnit(${JSON.stringify(xml)})));`;
    expect(evaluate(program)).toEqual({ passed: 5, failed: 2, skipped: 2 });
  });

  it('of C++ that fail are run once more, and those that pass then are named', () => {
    const suite = (tests: number, failures: number) =>
      `<testsuite name="(empty)" tests="${tests}" failures="${failures}" disabled="0" skipped="0" hostname="">`;
    const runs = [
      {
        xml: suite(9, 2),
        output: '1/9 Test #1: Kept .... Passed    0.10 sec\n2/9 Test #2: Late ....***Failed',
      },
      { xml: suite(2, 1), output: '1/2 Test #3: Wrong ....***Failed' },
    ];
    const program = `import { settleNative } from './scripts/tests/native.mjs'; console.log(JSON.stringify(settleNative(...${JSON.stringify(runs)})));`;
    expect(evaluate(program)).toEqual({
      passed: 8,
      failed: 1,
      skipped: 0,
      output: '1/2 Test #3: Wrong ....***Failed',
      notes: 'passed only when run again:\n2/9 Test #2: Late ....***Failed',
    });
    for (const again of [{}, { xml: suite(1, 0), output: '' }, { xml: suite(9, 0), output: '' }]) {
      const unsettled = `import { settleNative } from './scripts/tests/native.mjs'; console.log(settleNative(...${JSON.stringify([runs[0], again])}).failed);`;
      expect(evaluate(unsettled), 'a retry that ran others than those that failed').toBe(2);
    }
  });

  it('count a test file that cannot be loaded as a failure', () => {
    const report = {
      numPassedTests: 3,
      testResults: [
        file('a', 'failed', { one: 'failed' }),
        { name: 'b', status: 'failed', assertionResults: [], message: 'no such file\nat once' },
        file('c', 'passed', { one: 'passed', two: 'passed', three: 'skipped', four: 'skipped' }),
      ],
    };
    const program = `import { countVitest } from './scripts/tests/vitest.mjs'; console.log(JSON.stringify(countVitest(${JSON.stringify(report)})));`;
    expect(evaluate(program)).toEqual({
      passed: 3,
      failed: 2,
      output: 'failed: a > one\n    one broke\nfailed: b\n    no such file\n',
      skipped: 2,
      lacking: ['c > three', 'c > four'],
      onlyLong: 0,
    });
  });

  it('count what passes only when run again alone as passed, and name it', () => {
    const first = {
      numPassedTests: 1,
      testResults: [
        file('a', 'failed', { one: 'failed', two: 'failed', three: 'passed' }),
        { name: 'b', status: 'failed', assertionResults: [], message: 'no port' },
        { name: 'c', status: 'failed', assertionResults: [], message: 'no module' },
      ],
    };
    const second = {
      testResults: [
        file('a', 'failed', { one: 'passed', two: 'failed', three: 'passed' }),
        file('b', 'failed', { one: 'passed', two: 'failed' }),
      ],
    };
    const program = `import { settle } from './scripts/tests/vitest.mjs'; console.log(JSON.stringify(settle(${JSON.stringify(first)}, ${JSON.stringify(second)})));`;
    expect(evaluate(program)).toEqual({
      passed: 3,
      failed: 3,
      skipped: 0,
      lacking: [],
      onlyLong: 0,
      output:
        'failed twice: a > two\n    two broke\nfailed twice: c\n    no module\nfailed: b > two\n    two broke\n',
      notes:
        'passed only when run again: a > one\n    one broke\npassed only when run again: b\n    no port\n',
    });
  });
});
