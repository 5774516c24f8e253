import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { dataFolder } from '../running-server.ts';
import { certificate, DEPLOY, Front, listening } from './nginx.ts';

const program = spawnSync('sh', ['-c', 'PATH=$PATH:/usr/sbin command -v haproxy'], {
  encoding: 'utf8',
}).stdout.trim();
export const haproxyAbsent = program === '';
if (haproxyAbsent && process.env.CI === 'true') throw new Error('haproxy is absent: apt-get install haproxy');
if (haproxyAbsent) console.warn('SKIPPED: nothing is served behind HAProxy (apt-get install haproxy)');

export interface NodePorts {
  readonly port: number;
  readonly agentCheckPort: number;
}

function configured(
  nodes: readonly [NodePorts, NodePorts],
  places: Readonly<Record<string, string>>,
): string {
  let text = readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8');
  const servers = nodes.map(({ port, agentCheckPort }, at) => ({
    [`trunkline-${at + 1}:8080 check`]: `127.0.0.1:${port} check agent-port ${agentCheckPort}`,
  }));
  for (const [there, here] of Object.entries(Object.assign({}, places, ...servers) as typeof places)) {
    if (!text.includes(there)) throw new Error(`haproxy.cfg has no ${there}`);
    text = text.replaceAll(there, here);
  }
  return text;
}

export async function startHaproxy(
  nodes: readonly [NodePorts, NodePorts],
  ended: (stop: () => void) => void,
): Promise<Front> {
  const folder = dataFolder();
  const tls = certificate(folder);
  const chain = readFileSync(join(tls, 'fullchain.pem'), 'utf8');
  writeFileSync(join(tls, 'both.pem'), chain + readFileSync(join(tls, 'privkey.pem'), 'utf8'));
  const [port, plain] = [await freePort(), await freePort()];
  const conf = join(folder, 'haproxy.cfg');
  writeFileSync(
    conf,
    configured(nodes, {
      '/etc/haproxy/tls': tls,
      'bind :443 ssl': `bind 127.0.0.1:${port} ssl`,
      'bind :80': `bind 127.0.0.1:${plain}`,
    }),
  );
  const child = spawn(program, ['-db', '-f', conf], { stdio: 'inherit' });
  ended(() => child.kill('SIGTERM'));
  const failed = new Promise<never>((_resolve, reject) =>
    child.once('exit', (code) => reject(new Error(`haproxy ended with ${code}`))),
  );
  await Promise.race([listening(port), failed]);
  failed.catch(() => undefined);
  return new Front(port, plain, chain);
}
