import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { compileProgram, root } from '../../running-server.ts';

beforeAll(compileProgram, 120_000);

/** The limit is CPU time, which the load of the machine changes least. */
const MOST_MS = 500;

function asked(...args: string[]) {
  const program = `
    const { main } = await import('./dist/apps/cli/index.js');
    process.exitCode = await main(process.argv.slice(1));
    const { user, system } = process.cpuUsage();
    process.stderr.write(\`\${(user + system) / 1000} ms\`);`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { said: done.stdout, code: done.status, ms: Number.parseFloat(done.stderr) };
}

it.each([
  [['--help'], /serve .*\n(.*\n)*.*keys /],
  [['keys', '--help'], /create .*\n(.*\n)*.*rotate /],
  [['keys', 'create', '--help'], /--sandbox /],
  [['people', 'invite', '--help'], /--org /],
  [['users', '--help'], /reset /],
  [['plans', 'set', '--help'], /--daily-cap /],
  [['brain', 'install', '--help'], /--gpu [\s\S]*--model <id> /],
  [['models', 'fetch', '--help'], /--only /],
  [['doctor', '--help'], /--egress /],
])('answers %j before the rooms are read', (args, expected) => {
  const { said, code, ms } = asked(...args);
  expect(code).toBe(0);
  expect(said).toMatch(expected);
  expect(ms).toBeLessThan(MOST_MS);
});
