import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Report, runBench } from '../harness/index.ts';

interface Judged {
  readonly behavior: string;
  readonly behaviorClose: string;
  readonly remoteCloseCode: number | null;
}

type Verdicts = Readonly<Record<string, Judged>>;

const WORK = 'build-bench/autobahn';
const CONTESTANTS = ['trunkline', 'ws'] as const;
type Contestant = (typeof CONTESTANTS)[number];
/** No contestant offers compression; the limits of chapter 9 take most of the time. */
const CASES = ['1.*', '2.*', '3.*', '4.*', '5.*', '6.*', '7.*', '9.*', '10.*'];
const QUICK = ['1.*', '2.*', '3.*', '4.*', '5.*', '7.*'];
const CHAPTERS: Readonly<Record<string, string>> = {
  1: 'framing',
  2: 'pings and pongs',
  3: 'reserved bits',
  4: 'opcodes',
  5: 'fragmentation',
  6: 'UTF-8',
  7: 'closing',
  9: 'limits',
  10: 'other',
};
const PASSED = new Set(['OK', 'NON-STRICT', 'INFORMATIONAL']);

interface Suite {
  autobahn(folder: string): { program: string; args: string[]; env: Record<string, string> };
}

async function judge(contestant: Contestant, cases: readonly string[]): Promise<Verdicts> {
  const { autobahn } = (await import(resolve('bench/autobahn/suite.mjs'))) as Suite;
  const suite = autobahn(join(WORK, 'suite'));
  const child = fork(new URL('./server.js', import.meta.url), [contestant]);
  const [port] = (await once(child, 'message')) as [number];
  const folder = resolve(WORK, contestant);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const spec = join(folder, 'spec.json');
  const servers = [{ agent: contestant, url: `ws://127.0.0.1:${port}` }];
  writeFileSync(spec, JSON.stringify({ outdir: folder, servers, cases, 'exclude-cases': [] }));
  const done = spawnSync(suite.program, [...suite.args, '-m', 'fuzzingclient', '-s', spec], {
    env: suite.env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.kill('SIGKILL');
  if (done.status !== 0) throw new Error(`the suite ended with ${done.status}`);
  return JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))[contestant] as Verdicts;
}

const passes = ({ behavior, behaviorClose }: Judged): boolean =>
  PASSED.has(behavior) && PASSED.has(behaviorClose);

const count = (verdicts: Verdicts, which: (id: string, judged: Judged) => boolean): number =>
  Object.entries(verdicts).filter(([id, judged]) => which(id, judged)).length;

function describe(page: Report, found: Readonly<Record<Contestant, Verdicts>>): void {
  const total = Object.keys(found.trunkline).length;
  page.figure({
    name: 'cases that pass',
    value: count(found.trunkline, (_id, judged) => passes(judged)),
    unit: `of ${total}`,
    goal: { atLeast: total },
    peer: 'ws',
    peerValue: count(found.ws, (_id, judged) => passes(judged)),
  });
  page.figure({
    name: 'cases whose messages and order are right, however the connection closed',
    value: count(found.trunkline, (_id, { behavior }) => PASSED.has(behavior)),
    unit: `of ${total}`,
    goal: { atLeast: total },
    peer: 'ws',
    peerValue: count(found.ws, (_id, { behavior }) => PASSED.has(behavior)),
  });
  page.text(
    'The suite (PyPI `autobahntestsuite` 0.8.2) plays a client that keeps the rules, and one that breaks them. `trunkline` is the product’s own ' +
      'listener and guard with a surface that echoes; `ws` is that library’s plainest echo. A case passes when the suite calls both its ' +
      'behaviour and its close OK, NON-STRICT or INFORMATIONAL. Neither offers compression, so chapters 12 and 13 are left out.',
  );
  chapters(page, found);
  failures(page, found);
}

function chapters(page: Report, found: Readonly<Record<Contestant, Verdicts>>): void {
  const row = (chapter: string) => {
    const of = (id: string) => id.split('.')[0] === chapter;
    const passing = (contestant: Contestant) =>
      count(found[contestant], (id, judged) => of(id) && passes(judged));
    return [
      `${chapter} ${CHAPTERS[chapter]}`,
      String(count(found.trunkline, of)),
      String(passing('trunkline')),
      String(passing('ws')),
    ];
  };
  const present = Object.keys(CHAPTERS).filter((chapter) =>
    Object.keys(found.trunkline).some((id) => id.split('.')[0] === chapter),
  );
  page.heading('By chapter');
  page.table(['chapter', 'cases', 'trunkline', 'ws'], present.map(row));
}

function failures(page: Report, found: Readonly<Record<Contestant, Verdicts>>): void {
  const say = (judged: Judged | undefined) =>
    judged === undefined
      ? 'not run'
      : `${judged.behavior}, close ${judged.behaviorClose} ${judged.remoteCloseCode ?? 'without a code'}`;
  const failed = Object.keys(found.trunkline).filter((id) =>
    CONTESTANTS.some(
      (one) => !passes(found[one][id] ?? { behavior: '', behaviorClose: '', remoteCloseCode: null }),
    ),
  );
  page.heading('Cases that fail with either');
  if (failed.length === 0) page.text('None.');
  else
    page.table(
      ['case', ...CONTESTANTS],
      failed.map((id) => [id, ...CONTESTANTS.map((one) => say(found[one][id]))]),
    );
}

await runBench('autobahn', 'RFC 6455 by the Autobahn suite', async (page, { quick }) => {
  const cases = quick ? QUICK : CASES;
  describe(page, { trunkline: await judge('trunkline', cases), ws: await judge('ws', cases) });
});
