import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names resolve at a server behind no route, and through no local resolver that listens at a path. */
const RESOLVER = 'nameserver 192.0.2.53\noptions timeout:1 attempts:1\n';
const SWITCH = 'hosts: files dns\n';
const ENTER = `set -e
ip link set lo up
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
shift
exec "$@"`;

const namespace = (folder: string, command: readonly string[]) =>
  ['-rnm', 'sh', '-c', ENTER, 'sh', folder, ...command] as const;

function withFiles<T>(task: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'no-route-'));
  writeFileSync(join(folder, 'resolv.conf'), RESOLVER);
  writeFileSync(join(folder, 'nsswitch.conf'), SWITCH);
  const done = () => rmSync(folder, { recursive: true, force: true });
  const result = task(folder);
  if (result instanceof Promise) return result.finally(done) as T;
  done();
  return result;
}

export const namespaceAllowed = (): boolean =>
  withFiles((folder) => spawnSync('unshare', namespace(folder, ['true'])).status === 0);

export interface RunThere {
  readonly code: number | null;
  readonly said: string;
}

export const runWithoutRoute = (
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunThere> =>
  withFiles(async (folder) => {
    const child = spawn('unshare', namespace(folder, command), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  });

const fourth = (): number => {
  const [names, values] = readFileSync('/proc/self/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Ip: '))
    .map((line) => line.split(' ')) as [string[], string[]];
  return Number(values[names.indexOf('OutNoRoutes')]);
};

const sixth = (): number => {
  const counted = /Ip6OutNoRoutes\s+(\d+)/.exec(readFileSync('/proc/self/net/snmp6', 'utf8'));
  return Number(counted?.[1] ?? 0);
};

/**
 * Counts attempts in this namespace to reach an address that is not this machine's: connections, datagrams and name
 * look-ups, by any process.
 */
export const attempts = (): number => fourth() + sixth();
