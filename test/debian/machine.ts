import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../poll.ts';

const BOOT = join(import.meta.dirname, 'boot.sh');
/** The machine ends with the test's process, however that ends. */
const BEGUN = ['--pdeathsig', 'KILL', 'unshare'];
const NAMESPACES = ['--mount', '--pid', '--net', '--ipc', '--uts', '--cgroup', '--fork', '--kill-child'];
const INSIDE = ['--all', '--root', '--wd'];
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

function reasons(): string {
  if (process.getuid?.() !== 0) return 'root';
  if (!existsSync('/lib/systemd/systemd')) return 'systemd';
  if (spawnSync('dpkg-query', ['--show', 'nodejs']).status !== 0) return 'a package nodejs of Debian';
  const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
  for (const part of ['upper', 'work', 'here']) mkdirSync(join(folder, part));
  const options = `lowerdir=/usr,upperdir=${folder}/upper,workdir=${folder}/work`;
  const mounts = `mount -t overlay overlay -o ${options} ${folder}/here && ip link set lo up`;
  const tried = spawnSync('unshare', ['--mount', '--net', 'sh', '-c', mounts]);
  rmSync(folder, { recursive: true, force: true });
  return tried.status === 0 ? '' : 'mounts of its own';
}

const BUILDERS = ['dpkg-deb', 'dpkg-shlibdeps'];

export const noBuild = BUILDERS.filter((name) => spawnSync(name, ['--version']).status !== 0).join(' and ');
if (noBuild !== '') console.warn(`no Debian package is built here, for want of ${noBuild}`);

export const noMachine = reasons();
if (noMachine !== '') console.warn(`no Debian package is installed here, for want of ${noMachine}`);

export interface Answer {
  readonly code: number | null;
  readonly said: string;
}

export class Machine {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #init: number;

  private constructor(child: ChildProcess, folder: string, init: number) {
    this.#child = child;
    this.#folder = folder;
    this.#init = init;
  }

  static async boot(): Promise<Machine> {
    const folder = mkdtempSync(join(tmpdir(), 'machine-'));
    mkdirSync(join(folder, 'given'));
    const child = spawn('setpriv', [...BEGUN, ...NAMESPACES, 'sh', BOOT, folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    const init = () => (existsSync(children) ? Number(readFileSync(children, 'utf8')) : 0);
    await until(() => {
      if (child.exitCode !== null) throw new Error(`no machine: ${errors}`);
      return init() > 0 && readFileSync(`/proc/${init()}/comm`, 'utf8').trim() === 'systemd';
    });
    const machine = new Machine(child, folder, init());
    await until(() => /^(running|degraded)$/m.test(machine.try('systemctl is-system-running').said));
    return machine;
  }

  get given(): string {
    return join(this.#folder, 'given');
  }

  through(folder: string): string[] {
    const inside = ['--target', String(this.#init), ...INSIDE];
    return ['nsenter', ...inside, 'env', `--chdir=${folder}`];
  }

  get environment(): Record<string, string> {
    return { PATH, HOME: '/root', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };
  }

  try(command: string): Answer {
    const [enter = '', ...args] = [...this.through('/root'), '/bin/sh', '-c', command];
    const options = { env: this.environment, maxBuffer: 64 * 1024 * 1024 };
    const done = spawnSync(enter, args, { ...options, encoding: 'utf8' });
    return { code: done.status, said: done.stdout + done.stderr };
  }

  run(command: string): string {
    const { code, said } = this.try(command);
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${said}`);
    return said.trim();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    await until(() => !existsSync(`/proc/${this.#init}`));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
