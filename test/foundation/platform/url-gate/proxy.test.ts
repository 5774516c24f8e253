import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildChild, type ChildProgram } from '../../../child-program.ts';

let program: ChildProgram;
let proxy: Server;
let host: Server;
let throughProxy = 0;

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  program = await buildChild('test/foundation/platform/url-gate/proxy-program.ts');
  proxy = await listening(createServer((_request, response) => response.writeHead(418).end()));
  proxy.on('connection', () => {
    throughProxy += 1;
  });
  host = await listening(createServer((_request, response) => response.writeHead(204).end()));
});
afterAll(async () => {
  proxy.close();
  host.close();
  await program?.remove();
});

async function saidOf(url: string): Promise<unknown> {
  const address = `http://127.0.0.1:${portOf(proxy)}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'npm_config_proxy', 'npm_config_https_proxy'];
  const variables = names.flatMap((name) => [
    [name, address],
    [name.toUpperCase(), address],
  ]);
  const env = { ...process.env, ...Object.fromEntries(variables), no_proxy: '', NO_PROXY: '' };
  const child = fork(program.file, [url], { env: { ...env, NODE_USE_ENV_PROXY: '1' }, execArgv: [] });
  const exit = once(child, 'exit');
  const [said] = await once(child, 'message');
  await exit;
  return said;
}

describe('the gate, where the environment names a proxy', () => {
  // A proxy would resolve the name again, and open an address that the gate did not check.
  it('goes to the host itself', async () => {
    expect(await saidOf(`http://localhost:${portOf(host)}/`)).toBe('204');
    expect(throughProxy).toBe(0);
  });

  it('hands it no URL that is refused', async () => {
    expect(await saidOf('https://169.254.169.254/latest/meta-data/')).toMatch(/not public/);
    expect(throughProxy).toBe(0);
  });

  it('would have been seen: the proxy counts who comes', async () => {
    await fetch(`http://127.0.0.1:${portOf(proxy)}/`);
    expect(throughProxy).toBe(1);
  });
});
