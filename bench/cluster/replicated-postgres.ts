import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FaultProxy } from './fault-proxy.ts';
import { freePort } from './free-port.ts';

const HOME = '/usr/lib/postgresql';
const isRoot = process.getuid?.() === 0;

function binaries(): string {
  const versions = existsSync(HOME)
    ? readdirSync(HOME).filter((name) => existsSync(join(HOME, name, 'bin/initdb')))
    : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new Error(`no PostgreSQL in ${HOME}: apt-get install postgresql`);
  return join(HOME, newest, 'bin');
}

const execute = promisify(execFile);

/**
 * PostgreSQL refuses to run as root; its package creates the user. It runs beside this process, which has the proxies
 * in it.
 */
async function run(program: string, args: readonly string[]): Promise<string> {
  const command = isRoot ? ['runuser', '-u', 'postgres', '--', program, ...args] : [program, ...args];
  // A server that pg_ctl starts keeps the pipes open, so that only its own end counts.
  if (program.endsWith('pg_ctl')) {
    const child = spawn(command[0]!, command.slice(1), { cwd: tmpdir(), stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
    return '';
  }
  return (await execute(command[0]!, command.slice(1), { encoding: 'utf8', cwd: tmpdir() })).stdout;
}

/** A primary and a standby with synchronous replication; the nodes reach the primary through a proxy. */
export class ReplicatedPostgres {
  readonly proxy: FaultProxy;
  readonly #bin: string;
  readonly #folder: string;
  readonly #ports: readonly [number, number];
  #isPromoted = false;

  private constructor(bin: string, folder: string, ports: readonly [number, number], proxy: FaultProxy) {
    this.#bin = bin;
    this.#folder = folder;
    this.#ports = ports;
    this.proxy = proxy;
  }

  static async start(): Promise<ReplicatedPostgres> {
    const bin = binaries();
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-cluster-'));
    if (isRoot) {
      const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
      chownSync(folder, id('-u'), id('-g'));
    }
    const ports = [await freePort(), await freePort()] as const;
    const database = new ReplicatedPostgres(bin, folder, ports, await FaultProxy.open(ports[0]));
    await run(join(bin, 'initdb'), [
      '-D',
      database.#data(0),
      '-U',
      'trunkline',
      '--auth=trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ]);
    await database.#serve(0);
    const standby = [
      '-D',
      database.#data(1),
      '-R',
      '-X',
      'stream',
      '-h',
      '127.0.0.1',
      '-p',
      String(ports[0]),
    ];
    await run(join(bin, 'pg_basebackup'), [...standby, '-U', 'trunkline', '--no-sync', '-c', 'fast']);
    await database.#serve(1);
    await database.query("alter system set synchronous_standby_names = '*'");
    await database.query('select pg_reload_conf()');
    return database;
  }

  get url(): string {
    return `postgres://trunkline@127.0.0.1:${this.proxy.port}/postgres`;
  }

  /** Returns the lines of the answer, with `|` between columns. */
  async query(sql: string): Promise<string[]> {
    const port = this.#ports[this.#isPromoted ? 1 : 0];
    const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'trunkline', '-d', 'postgres', '-Atc', sql];
    return (await run(join(this.#bin, 'psql'), args)).split('\n').filter(Boolean);
  }

  /** The primary dies and the standby takes over, at the same address. */
  async failOver(): Promise<void> {
    process.kill(this.#pid(0), 'SIGKILL');
    await run(join(this.#bin, 'pg_ctl'), ['-D', this.#data(1), '-w', 'promote']);
    this.#isPromoted = true;
    this.proxy.target = this.#ports[1];
    this.proxy.mode = 'refuse';
    this.proxy.mode = 'pass';
  }

  async stop(): Promise<void> {
    this.proxy.close();
    for (const at of this.#isPromoted ? ([1] as const) : ([0, 1] as const))
      await run(join(this.#bin, 'pg_ctl'), ['-D', this.#data(at), '-m', 'immediate', 'stop']);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #data(at: 0 | 1): string {
    return join(this.#folder, at === 0 ? 'primary' : 'standby');
  }

  #pid(at: 0 | 1): number {
    return Number(readFileSync(join(this.#data(at), 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  async #serve(at: 0 | 1): Promise<void> {
    // The data is discarded after the run, so writes need not wait for the disk.
    const hasty = '-c fsync=off -c full_page_writes=off';
    const options = `-p ${this.#ports[at]} -c listen_addresses=127.0.0.1 -k ${this.#folder} -c max_connections=200 ${hasty}`;
    const log = join(this.#folder, `log-${at}`);
    await run(join(this.#bin, 'pg_ctl'), ['-D', this.#data(at), '-o', options, '-l', log, '-w', 'start']);
  }
}
