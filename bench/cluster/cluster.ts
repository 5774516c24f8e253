/**
 * The long form of `npm run test:cluster`: three nodes on PostgreSQL with a standby, Redis and an S3 server, behind
 * HAProxy and nginx in turn, with faults under live calls, jobs, a campaign and POSTs.
 *
 *     npm run test:cluster -- --long [--calls N] [--faults NAME,…] [--json FILE] [haproxy | nginx]
 *
 * The results of the balancer that is not named are those of its latest run. With chosen faults, nothing is stored and
 * the report stays as it is.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import pg from 'pg';
import { FormData, fetch } from 'undici';
import { pause } from '../../src/apps/caller/index.ts';
import { PG_CHANNEL } from '../../src/foundation/storage/notification-channel.ts';
import { percentile, type Report, runBench } from '../harness/index.ts';
import { PartStore } from '../hear/parts.ts';
import { Balancer, type BalancerKind } from './balancers.ts';
import { ClusterNode, programArguments, ROOT } from './cluster-nodes.ts';
import { FaultProxy } from './fault-proxy.ts';
import { ReplicatedPostgres } from './replicated-postgres.ts';
import { type PublishedClient, ResumingCall } from './resuming-call.ts';
import { Posts } from './work.ts';

const CALLS = Number(process.env.TRUNKLINE_BENCH_CALLS ?? 20);
const JOBS = Math.max(3, Math.round(CALLS * 1.5));
const TARGETS = 6;
const NODES = 3;
const RESUME_WITHIN_MS = 32_000;
/** A call counts as silent whose client got no message for as long, though its connection stayed. */
const SILENT_MS = 2_000;
/** The lease of a lost node is a minute, and its jobs are taken up by another after that. */
const SETTLED_WITHIN_MS = 90_000;
const SET_UP_WITHIN_MS = 60_000;
const DRAIN_SECONDS = 3;
const COST_MS = 15_000;

interface Counted {
  readonly atS: number;
  readonly transactions: number;
  readonly notifications: number;
}

interface Cost {
  readonly idleNodeS: number;
  readonly callMinute: number;
  readonly begin: number;
}

interface Costs {
  readonly calls: number;
  readonly callsCapacity: number;
  readonly transactions: Cost;
  readonly notifications: Cost;
}

interface Outcome {
  readonly name: string;
  readonly calls: number;
  readonly cut: number;
  readonly wentOn: number;
  /** Calls that were not cut, and whose connection was silent for `SILENT_MS` or more. */
  readonly silent: number;
  readonly silencesMs: readonly number[];
  readonly posts: number;
  /** POSTs whose first try was not answered with 201. */
  readonly refusedPosts: number;
  readonly slowestPostMs: number;
  /** The time from the fault to the end of the last POST that failed; 0: none did. */
  readonly recoveryMs: number;
}

/** The database's account when everything is over. */
interface Account {
  readonly calls: number;
  readonly billedTwice: number;
  readonly notBilled: number;
  readonly posts: number;
  readonly lostPosts: number;
  readonly doublePosts: number;
  readonly jobs: number;
  readonly unfinishedJobs: number;
  readonly jobsBilledTwice: number;
  readonly targets: number;
  readonly targetsDone: number;
  readonly dialledTwice: number;
}

interface Fault {
  readonly name: string;
  readonly isDrain?: boolean;
  /** How long the fault lasts, at least. */
  readonly holdMs: number;
  /** `busiest` is the node with most calls. */
  inject(cluster: Cluster, busiest: ClusterNode): Promise<void>;
  mend(cluster: Cluster): Promise<void>;
}

const nothing = async () => undefined;

const kill: Fault = {
  name: 'node killed (SIGKILL)',
  holdMs: 2_000,
  inject: (_cluster, busiest) => busiest.stop('SIGKILL'),
  mend: (cluster) => cluster.revive(),
};
const freeze: Fault = {
  name: 'node frozen (SIGSTOP) for 15 s',
  holdMs: 15_000,
  inject: async (cluster, busiest) => {
    cluster.frozen = busiest;
    busiest.signal('SIGSTOP');
  },
  mend: async (cluster) => {
    cluster.frozen?.signal('SIGCONT');
    await cluster.revive();
  },
};
const upgrade: Fault = {
  name: 'rolling upgrade: each node drained (SIGTERM) and replaced',
  isDrain: true,
  holdMs: 0,
  inject: async (cluster) => {
    for (const node of cluster.nodes) {
      await node.stop('SIGTERM');
      node.start();
      await node.ready();
    }
  },
  mend: nothing,
};
const drain: Fault = {
  name: 'node drained (SIGTERM)',
  isDrain: true,
  holdMs: 0,
  inject: (_cluster, busiest) => busiest.stop('SIGTERM'),
  mend: (cluster) => cluster.revive(),
};
const silentDatabase: Fault = {
  name: 'database black-holed for 10 s',
  holdMs: 10_000,
  inject: async ({ database }) => {
    database.proxy.mode = 'swallow';
  },
  mend: async ({ database }) => {
    database.proxy.mode = 'pass';
  },
};
const failover: Fault = {
  name: 'primary killed, standby promoted',
  holdMs: 5_000,
  inject: ({ database }) => database.failOver(),
  mend: nothing,
};
const noRedis: Fault = {
  name: 'Redis gone for 8 s',
  holdMs: 8_000,
  inject: async ({ redis }) => {
    redis.mode = 'refuse';
  },
  mend: async ({ redis }) => {
    redis.mode = 'pass';
  },
};
const noS3: Fault = {
  name: 'S3 gone for 8 s',
  holdMs: 8_000,
  inject: async ({ s3 }) => {
    s3.mode = 'refuse';
  },
  mend: async ({ s3 }) => {
    s3.mode = 'pass';
  },
};
const skew: Fault = {
  name: 'a node whose clock is 10 min ahead joins',
  holdMs: 8_000,
  isDrain: true,
  inject: async (cluster) => {
    const node = cluster.nodes[0]!;
    await node.stop('SIGTERM');
    node.start({ isAhead: true });
    await node.ready();
  },
  mend: async (cluster) => {
    const node = cluster.nodes[0]!;
    await node.stop('SIGTERM');
    await cluster.revive();
  },
};

const FAULTS: Readonly<Record<BalancerKind, readonly Fault[]>> = {
  haproxy: [kill, freeze, silentDatabase, failover, noRedis, noS3, upgrade],
  nginx: [kill, drain, freeze, failover, skew],
};

const NAMED = {
  kill,
  freeze,
  upgrade,
  drain,
  'silent-database': silentDatabase,
  failover,
  'no-redis': noRedis,
  'no-s3': noS3,
  skew,
};

/** A name may stand several times; null: all faults of the balancer are injected. */
function chosenFaults(names: string | undefined): readonly Fault[] | null {
  if (names === undefined) return null;
  return names.split(',').map((name) => {
    if (!Object.hasOwn(NAMED, name))
      throw new Error(`there is no fault ${name}; there are ${Object.keys(NAMED).join(', ')}`);
    return NAMED[name as keyof typeof NAMED];
  });
}

const NETWORK = `numbers:\n${Array.from(
  { length: TARGETS },
  (_, at) => `  '+1500555002${at}': { ring_ms: 200, steps: [ { pause_ms: 1500 }, { hang_up: true } ] }`,
).join('\n')}\n`;

class Cluster {
  readonly nodes: ClusterNode[] = [];
  readonly calls: ResumingCall[] = [];
  readonly jobs: string[] = [];
  frozen: ClusterNode | null = null;
  campaign = '';
  #speech: Blob | null = null;

  private constructor(
    readonly database: ReplicatedPostgres,
    readonly redis: FaultProxy,
    readonly s3: FaultProxy,
    readonly key: string,
    readonly folder: string,
  ) {}

  balancer!: Balancer;
  client!: PublishedClient;
  posts: Posts | null = null;

  static async start(kind: BalancerKind): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    const network = join(folder, 'network.yaml');
    writeFileSync(network, NETWORK);
    const database = await ReplicatedPostgres.start();
    const [redisUrl, s3Url] = ['TRUNKLINE_TEST_REDIS_URL', 'TRUNKLINE_TEST_S3_URL'].map(
      (name) => new URL(process.env[name]!),
    );
    const redis = await FaultProxy.open(Number(redisUrl!.port));
    const s3 = await FaultProxy.open(Number(s3Url!.port));
    const settings = {
      TRUNKLINE_DATABASE_URL: database.url,
      TRUNKLINE_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      TRUNKLINE_S3_ENDPOINT: `http://127.0.0.1:${s3.port}`,
      TRUNKLINE_S3_REGION: 'us-east-1',
      TRUNKLINE_S3_BUCKET: s3Url!.pathname.slice(1),
      TRUNKLINE_S3_ACCESS_KEY_ID: s3Url!.username,
      TRUNKLINE_S3_SECRET_ACCESS_KEY: s3Url!.password,
      TRUNKLINE_KEY_SECRET: 'a-secret-of-keys-that-is-long-enough',
      TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
      TRUNKLINE_WEBRTC_CALLS: '0',
      TRUNKLINE_DRAIN_SECONDS: String(DRAIN_SECONDS),
      TRUNKLINE_CARRIER: 'loopback',
      TRUNKLINE_LOOPBACK_NETWORK: network,
      TRUNKLINE_LOG_LEVEL: process.env.TRUNKLINE_BENCH_LOG ?? 'error',
    };
    const key = await mintKey({ ...settings, TRUNKLINE_DATA: join(folder, 'keys') });
    await database.query('update plans set rps = 1000000, burst = 1000000, concurrency = 1000000');
    const cluster = new Cluster(database, redis, s3, key, folder);
    for (let at = 0; at < NODES; at++) cluster.nodes.push(await ClusterNode.make(settings));
    for (const node of cluster.nodes) node.start();
    for (const node of cluster.nodes) await node.ready();
    cluster.balancer = await Balancer.start(kind, cluster.nodes);
    cluster.client = await cluster.balancer.client(key);
    while ((await cluster.send('/v1/me')).status !== 200) await pause(200);
    return cluster;
  }

  /** Measures what the nodes and their calls cost the database while nothing fails. */
  async costs(): Promise<Costs> {
    const listener = new pg.Client({ connectionString: this.database.url });
    await listener.connect();
    await listener.query(`listen ${PG_CHANNEL}`);
    let notifications = 0;
    listener.on('notification', () => {
      notifications += 1;
    });
    const read = async (): Promise<Counted> => {
      const [sum] = await this.database.query('select sum(xact_commit) from pg_stat_database');
      return { atS: performance.now() / 1000, transactions: Number(sum), notifications };
    };
    const idleFrom = await read();
    await pause(COST_MS);
    const idleTo = await read();
    await this.fill();
    const busyFrom = await read();
    await pause(COST_MS);
    const busyTo = await read();
    await listener.end();
    const calls = this.live.length;
    const perS = (what: 'transactions' | 'notifications', from: Counted, to: Counted) =>
      (to[what] - from[what]) / (to.atS - from.atS);
    const costOf = (what: 'transactions' | 'notifications') => {
      const idle = perS(what, idleFrom, idleTo);
      return {
        idleNodeS: idle / NODES,
        callMinute: (60 * (perS(what, busyFrom, busyTo) - idle)) / calls,
        begin: (busyFrom[what] - idleTo[what] - idle * (busyFrom.atS - idleTo.atS)) / calls,
      };
    };
    const metrics = (await this.nodes[0]!.get('/metrics'))?.text ?? '';
    const callsCapacity = Number(/^trunkline_calls_capacity (\S+)/m.exec(metrics)?.[1] ?? 0);
    return {
      calls,
      callsCapacity,
      transactions: costOf('transactions'),
      notifications: costOf('notifications'),
    };
  }

  startPosts(): void {
    this.posts = new Posts(() => this.balancer, this.key, 'Posted');
  }

  async send(path: string, body?: object, method = 'POST') {
    return await this.balancer.send(
      path,
      this.key,
      body === undefined ? {} : { method, body: JSON.stringify(body) },
    );
  }

  async busiest(): Promise<ClusterNode> {
    const counts = await Promise.all(this.nodes.map((node) => node.liveCalls()));
    return this.nodes[counts.indexOf(Math.max(...counts))]!;
  }

  async revive(): Promise<void> {
    for (const node of this.nodes) if (!node.isRunning) node.start();
    for (const node of this.nodes) await node.ready();
  }

  get live(): ResumingCall[] {
    return this.calls.filter(({ isOver }) => !isOver);
  }

  async fill(): Promise<void> {
    while (this.live.length < CALLS) this.calls.push(new ResumingCall(this.client));
    const until = performance.now() + 30_000;
    while (!this.live.every(({ isLive }) => isLive) && performance.now() < until) await pause(100);
  }

  async submitJob(): Promise<void> {
    const node = this.nodes.find(({ isRunning }) => isRunning)!;
    const url = `http://127.0.0.1:${node.port}`;
    const authorization = `Bearer ${this.key}`;
    if (this.#speech === null) {
      const body = JSON.stringify({
        input: 'We are open from nine to five, and on Saturday.',
        voice: 'joe_en_us',
        response_format: 'wav',
      });
      const spoken = await fetch(`${url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      });
      if (!spoken.ok) throw new Error(`speech: ${spoken.status} ${await spoken.text()}`);
      this.#speech = new Blob([await spoken.arrayBuffer()]);
    }
    const form = new FormData();
    form.append('file', this.#speech, 'call.wav');
    const answer = await fetch(`${url}/v1/transcription/jobs`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    });
    if (!answer.ok) throw new Error(`job: ${answer.status} ${await answer.text()}`);
    this.jobs.push(((await answer.json()) as { id: string }).id);
  }

  /** A balancer whose nodes are slow under the load of others refuses now and then, so that a refusal is repeated. */
  async #setUp(path: string, body?: object, method = 'POST') {
    const init = { method, headers: { 'idempotency-key': `set up ${path}` }, body: JSON.stringify(body) };
    const until = performance.now() + SET_UP_WITHIN_MS;
    for (;;) {
      const answer = await this.balancer.send(path, this.key, body === undefined ? {} : init);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const isRefusal = answer.status === 0 || answer.status >= 500;
      if (!isRefusal || performance.now() > until)
        throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
      await pause(500);
    }
  }

  async startCampaign(): Promise<void> {
    await this.#setUp(
      '/v1/trace/config',
      { gate: { require_consent: false, quiet_hours: null, attempts: null } },
      'PUT',
    );
    const agent = await this.#setUp('/v1/agents', {
      name: 'Caller',
      voice_id: 'joe_en_us',
      greeting: 'Good morning.',
    });
    const free = await this.#setUp('/v1/telephony/available-numbers?country=US&limit=1');
    const from = free.json.data[0].phone_number;
    await this.#setUp('/v1/telephony/numbers', { phone_number: from, agent_id: agent.json.id });
    const targets = Array.from({ length: TARGETS }, (_, at) => ({ to: `+1500555002${at}` }));
    const pacing = { concurrent: 1, calls_per_minute: 10 };
    const made = await this.#setUp('/v1/telephony/campaigns', {
      name: 'Reminders',
      from,
      agent_id: agent.json.id,
      targets,
      pacing,
    });
    this.campaign = made.json.id;
    await this.#setUp(`/v1/telephony/campaigns/${this.campaign}/start`, {});
  }

  async run(fault: Fault): Promise<Outcome> {
    await this.fill();
    await this.submitJob();
    await pause(3_000);
    const calls = this.live.filter(({ isLive }) => isLive);
    const before = new Map(calls.map((call) => [call, { breaks: call.breaks, resumes: call.resumes }]));
    const firstPost = this.posts!.all.length;
    const busiest = await this.busiest();
    for (const call of calls) call.watchGaps();
    const faultAt = performance.now();
    const isCut = (call: ResumingCall) => call.breaks > before.get(call)!.breaks;
    const goesOn = (call: ResumingCall) =>
      call.resumes > before.get(call)!.resumes && call.heardAgainAt > 0 && call.isLive;
    await fault.inject(this, busiest);
    const until =
      Math.max(performance.now(), faultAt + fault.holdMs) + (fault.holdMs > 10_000 ? 0 : RESUME_WITHIN_MS);
    while (performance.now() < faultAt + fault.holdMs) await pause(50);
    while (performance.now() < until && !calls.every((call) => call.isOver || !isCut(call) || goesOn(call)))
      await pause(50);
    await fault.mend(this);
    const mended = performance.now() + RESUME_WITHIN_MS;
    while (performance.now() < mended && !calls.every((call) => call.isOver || !isCut(call) || goesOn(call)))
      await pause(50);
    await pause(2_000);
    const mendedAt = performance.now();
    const asked = this.posts!.all.slice(firstPost).filter(({ beganAt }) => beganAt < mendedAt);
    while (!asked.every(({ firstMs }) => firstMs > 0)) await pause(50);
    const cut = calls.filter(isCut);
    const silent = calls.filter((call) => !isCut(call) && call.longestGapMs >= SILENT_MS);
    const silenceOf = (call: ResumingCall) => call.heardAgainAt - (fault.isDrain ? call.brokeAt : faultAt);
    const refused = asked.filter(({ first }) => first !== 201);
    const outcome = {
      name: fault.name,
      calls: calls.length,
      cut: cut.length,
      wentOn: cut.filter(goesOn).length,
      silent: silent.length,
      silencesMs: [...cut.filter(goesOn).map(silenceOf), ...silent.map(({ longestGapMs }) => longestGapMs)],
      posts: asked.length,
      refusedPosts: refused.length,
      slowestPostMs: Math.max(0, ...asked.map(({ firstMs }) => firstMs)),
      recoveryMs: Math.max(0, ...refused.map(({ beganAt, firstMs }) => beganAt + firstMs - faultAt)),
    };
    console.log(JSON.stringify(outcome));
    return outcome;
  }

  async settle(): Promise<Account> {
    for (const call of this.live) call.end();
    await this.posts!.stop();
    const begun = this.calls.filter(({ id }) => id !== '').map(({ id }) => id);
    const until = performance.now() + SETTLED_WITHIN_MS;
    while (performance.now() < until && !(await this.#isSettled(begun))) await pause(1_000);
    const billed = await this.#billed(begun);
    const jobs = await this.#billed(this.jobs);
    const done = await this.#finishedJobs();
    const names = await this.#postedNames();
    const targets = await this.send(`/v1/telephony/campaigns/${this.campaign}/report`);
    const completed = await this.database.query(
      `select to_number from telephony_calls where campaign_id = '${this.campaign}' and end_reason = 'completed' group by to_number having count(*) > 1`,
    );
    const account = {
      calls: begun.length,
      billedTwice: [...billed.values()].filter((count) => count > 1).length,
      notBilled: begun.filter((id) => !billed.has(id)).length,
      posts: this.posts!.all.length,
      lostPosts: this.posts!.all.filter(({ name, isDone }) => !isDone || !names.includes(name)).length,
      doublePosts: names.length - new Set(names).size,
      jobs: this.jobs.length,
      unfinishedJobs: this.jobs.length - done,
      jobsBilledTwice: [...jobs.values()].filter((count) => count > 1).length,
      targets: TARGETS,
      targetsDone: Number(targets.json?.targets?.done ?? 0),
      dialledTwice: completed.length,
    };
    console.log(JSON.stringify(account));
    return account;
  }

  async #isSettled(begun: readonly string[]): Promise<boolean> {
    const targets = await this.send(`/v1/telephony/campaigns/${this.campaign}/report`);
    const isCalled = targets.json?.state === 'done';
    return (
      isCalled &&
      (await this.#billed(begun)).size === begun.length &&
      (await this.#finishedJobs()) === this.jobs.length
    );
  }

  async #billed(resources: readonly string[]): Promise<Map<string, number>> {
    const list = resources.map((id) => `'${id}'`).join(',');
    const rows = await this.database.query(
      `select resource, count(*) from usage_events where resource in (${list || "''"}) group by resource, meter`,
    );
    return new Map(rows.map((row) => [row.split('|')[0]!, Number(row.split('|')[1])]));
  }

  async #finishedJobs(): Promise<number> {
    let done = 0;
    for (const id of this.jobs)
      if ((await this.send(`/v1/transcription/jobs/${id}`)).json?.status === 'completed') done += 1;
    return done;
  }

  async #postedNames(): Promise<string[]> {
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const { json } = await this.send(`/v1/agents?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
      for (const { name } of json.data) if (name.startsWith('Posted ')) names.push(name);
      if (!json.next_cursor) return names;
      cursor = encodeURIComponent(json.next_cursor);
    }
  }

  async stop(): Promise<void> {
    for (const call of this.calls) call.end();
    await this.posts?.stop();
    this.balancer?.stop();
    for (const node of this.nodes) node.remove();
    this.redis.close();
    this.s3.close();
    await this.database.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function mintKey(settings: Readonly<Record<string, string>>): Promise<string> {
  const args = programArguments('keys', 'create', '--live', '--scopes', '*', '--credit', '100');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  const key = /svc_live_\w+/.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`no key was made: ${stdout}`);
  return key;
}

interface Build {
  typescriptIsCurrent(root: string): boolean;
  compileTypeScript(root: string, log: (line: string) => void): Promise<void>;
}

async function compileProgram(): Promise<void> {
  const build = (await import(join(ROOT, 'scripts/setup/typescript.mjs'))) as Build;
  if (!build.typescriptIsCurrent(ROOT)) await build.compileTypeScript(ROOT, () => undefined);
}

async function measure(
  kind: BalancerKind,
  store: Pick<PartStore, 'keep'>,
  chosen: readonly Fault[] | null,
): Promise<void> {
  const faults = chosen ?? FAULTS[kind];
  const cluster = await Cluster.start(kind);
  try {
    const costs = kind === 'haproxy' && chosen === null ? await cluster.costs() : null;
    if (costs !== null) {
      console.log(JSON.stringify(costs));
      store.keep('costs', costs);
    }
    cluster.startPosts();
    await cluster.startCampaign();
    for (let count = 0; count < JOBS - faults.length; count++) await cluster.submitJob();
    const outcomes: Outcome[] = [];
    for (const fault of faults) {
      outcomes.push(await cluster.run(fault));
      store.keep(kind, { calls: CALLS, outcomes, account: null });
    }
    store.keep(kind, { calls: CALLS, outcomes, account: await cluster.settle() });
  } finally {
    await cluster.stop();
  }
}

interface Stored {
  readonly calls: number;
  readonly outcomes: readonly Outcome[];
  readonly account: Account | null;
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

function write(report: Report, store: PartStore): void {
  report.text(
    `Three nodes on PostgreSQL with a synchronous standby, Redis and an S3 server; nodes, services, balancer and callers share this machine. ` +
      `Each fault hits the node with most calls. Silence runs from the fault (of a drain: from the end of the connection) to the first sound of the agent after the call was resumed. The callers use the published TypeScript client. A call whose connection stays, and brings no message for ${SILENT_MS / 1000} s or more, counts with that silence.`,
  );
  for (const kind of ['haproxy', 'nginx'] as const) {
    const stored = store.read<Stored>(kind);
    if (stored === undefined) continue;
    const { calls, outcomes, account } = stored.data;
    const name = kind === 'haproxy' ? 'HAProxy' : 'nginx';
    report.heading(`Behind ${name}`);
    report.text(`Measured ${stored.measured}, with ${calls} calls at once.`);
    writeFigures(report, name, outcomes, account);
    report.table(
      [
        'fault',
        'calls',
        'cut',
        'went on',
        'silent, not cut',
        'silence p50, s',
        'longest, s',
        'POSTs',
        'first try refused',
        'slowest, s',
        'recovery, s',
      ],
      outcomes.map((one) => [
        one.name,
        one.calls,
        one.cut,
        one.wentOn,
        one.silent,
        one.silencesMs.length === 0 ? null : seconds(percentile(one.silencesMs, 0.5)),
        one.silencesMs.length === 0 ? null : seconds(Math.max(...one.silencesMs)),
        one.posts,
        one.refusedPosts,
        seconds(one.slowestPostMs),
        seconds(one.recoveryMs),
      ]),
    );
    if (account === null) continue;
    report.table(
      ['in the database at the end', 'all', 'lost or unfinished', 'twice'],
      [
        ['calls billed', account.calls, account.notBilled, account.billedTwice],
        ['POSTs', account.posts, account.lostPosts, account.doublePosts],
        ['jobs', account.jobs, account.unfinishedJobs, account.jobsBilledTwice],
        [
          'targets of the campaign',
          account.targets,
          account.targets - account.targetsDone,
          account.dialledTwice,
        ],
      ],
    );
  }
}

function writeCosts(report: Report, store: PartStore): void {
  const stored = store.read<Costs>('costs');
  if (stored === undefined) return;
  const { calls, callsCapacity, transactions, notifications } = stored.data;
  report.heading('What calls and nodes cost the database');
  report.text(
    `Measured ${stored.measured}, with ${calls} calls. The simulation \`npm run bench -- scale\` stands on these.`,
  );
  report.table(
    ['what', 'transactions', 'notifications'],
    [
      ['a node without calls, a second', transactions.idleNodeS, notifications.idleNodeS],
      ['a call, a minute', transactions.callMinute, notifications.callMinute],
      ['a call to begin', transactions.begin, notifications.begin],
    ],
  );
  report.text(`An idle node says that ${callsCapacity} calls fit.`);
}

function writeFigures(
  report: Report,
  name: string,
  outcomes: readonly Outcome[],
  account: Account | null,
): void {
  const sum = (of: (one: Outcome) => number) => outcomes.reduce((all, one) => all + of(one), 0);
  const silences = outcomes.flatMap(({ silencesMs }) => silencesMs);
  const cut = sum((one) => one.cut);
  const figure = (
    what: string,
    value: number,
    unit: string,
    goal?: { atMost: number } | { atLeast: number },
  ) => report.figure({ name: `${name}: ${what}`, value, unit, ...(goal === undefined ? {} : { goal }) });
  if (cut > 0)
    figure('calls that went on, of those cut', (100 * sum((one) => one.wentOn)) / cut, '%', { atLeast: 95 });
  if (silences.length > 0) {
    figure('silence heard by the caller, p50', percentile(silences, 0.5) / 1000, 's');
    figure('silence heard by the caller, p95', percentile(silences, 0.95) / 1000, 's', { atMost: 3 });
  }
  const drains = outcomes.filter(({ name }) => /drained/.test(name));
  figure(
    'POSTs refused in a drain',
    drains.reduce((all, one) => all + one.refusedPosts, 0),
    '',
    { atMost: 0 },
  );
  const failovers = outcomes.filter(({ name }) => /promoted/.test(name));
  if (failovers.length > 0)
    figure(
      'recovery after a failover',
      Math.max(...failovers.map(({ recoveryMs }) => recoveryMs)) / 1000,
      's',
      { atMost: 10 },
    );
  if (account === null) return;
  figure('calls billed twice', account.billedTwice, '', { atMost: 0 });
  figure('calls not billed', account.notBilled, '', { atMost: 0 });
  figure('POSTs lost', account.lostPosts, '', { atMost: 0 });
  figure('POSTs done twice', account.doublePosts, '', { atMost: 0 });
  figure('jobs unfinished or billed twice', account.unfinishedJobs + account.jobsBilledTwice, '', {
    atMost: 0,
  });
  figure('people dialled twice', account.dialledTwice, '', { atMost: 0 });
}

await runBench(
  'cluster',
  'A cluster whose nodes and services fail under calls',
  async (report, { parts }) => {
    const chosen = chosenFaults(process.env.TRUNKLINE_BENCH_FAULTS);
    await compileProgram();
    const store = new PartStore(join(ROOT, 'build-bench/cluster'));
    const kinds = (['haproxy', 'nginx'] as const).filter(
      (kind) => parts.length === 0 || parts.includes(kind),
    );
    const results = chosen === null ? store : { keep: () => undefined };
    for (const kind of kinds) await measure(kind, results, chosen);
    if (chosen !== null) return;
    write(report, store);
    writeCosts(report, store);
  },
);
