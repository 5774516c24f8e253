/** These commands of guides need a release, a container engine or a cluster: their parts that need none are tested. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGuide } from './guide.ts';

const commandsOf = (guide: string, program: string): string[] =>
  readGuide(guide)
    .blocks.flatMap((block) => block.text.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith(program));

async function pack(folder: string, name: string, version: string): Promise<void> {
  mkdirSync(join(folder, 'package'), { recursive: true });
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version }));
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  const args = ['-czf', join('dist/npm', file), 'package'];
  const [code] = await once(spawn('tar', args, { cwd: folder }), 'close');
  expect(code).toBe(0);
}

describe('publishing the packages', () => {
  let folder = '';
  let server: Server;
  let sent: string[] = [];
  let refused = '';
  const published = new Map<string, object>();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'publish-'));
    sent = [];
    refused = '';
    published.clear();
    server = createServer(async (request, response) => {
      const name = decodeURIComponent((request.url ?? '').slice(1));
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (request.method === 'GET') {
        const found = published.get(name);
        return found ? answer(200, found) : answer(404, { error: 'not found' });
      }
      const body = JSON.parse(await text(request));
      sent.push(`${name}@${Object.keys(body.versions)} as ${Object.keys(body['dist-tags'])}`);
      if (name === refused) return answer(403, { error: 'refused' });
      published.set(name, body);
      return answer(201, { ok: true });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    mkdirSync(join(folder, 'dist/npm'), { recursive: true });
    await pack(folder, 'trunkline', '0.1.0');
    await pack(folder, '@trunkline/model-of-one', '0.0.0-d0123abc');
    await pack(folder, '@trunkline/model-of-two', '0.0.0-d4567def');
  });
  afterEach(() => {
    server.close().closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  async function publish() {
    const { port } = server.address() as AddressInfo;
    const [block = ''] = readGuide('install.md')
      .blocks.map((one) => one.text)
      .filter((command) => command.includes('npm publish'));
    const loop = block.slice(block.indexOf('(\n'));
    writeFileSync(join(folder, '.npmrc'), `//127.0.0.1:${port}/:_authToken=token\n`);
    const script = loop.replace('http://registry.internal', `http://127.0.0.1:${port}`);
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
    };
    const child = spawn('sh', ['-c', script], { cwd: folder, env });
    const [output, [code]] = await Promise.all([
      text(child.stderr),
      once(child, 'close'),
      text(child.stdout),
    ]);
    return { code, output };
  }

  it('takes each package once, models of prerelease versions among them', async () => {
    expect(await publish()).toMatchObject({ code: 0 });
    const all = [
      'trunkline@0.1.0 as latest',
      '@trunkline/model-of-one@0.0.0-d0123abc as latest',
      '@trunkline/model-of-two@0.0.0-d4567def as latest',
    ];
    expect(sent.toSorted()).toEqual(all.toSorted());
    published.delete('@trunkline/model-of-two');
    sent = [];
    expect(await publish()).toMatchObject({ code: 0 });
    expect(sent).toEqual(['@trunkline/model-of-two@0.0.0-d4567def as latest']);
  }, 60_000);

  it('ends at the first package that the registry refuses', async () => {
    refused = 'trunkline';
    const { code, output } = await publish();
    expect(code).not.toBe(0);
    expect(output).toContain('403');
    expect(sent.at(-1)).toBe('trunkline@0.1.0 as latest');
    expect(published.size).toBe(sent.length - 1);
  }, 60_000);
});

describe('the image', () => {
  it('is started by the guide with its models, or with a registry that has them', () => {
    const blocks = readGuide('container.md').blocks.filter((one) => one.text.includes('podman run'));
    expect(blocks.length).toBeGreaterThan(0);
    for (const { text: block } of blocks) {
      const isFull = /^npm run image -- --full$/m.test(block);
      const [, archive] = /podman load --input dist\/image\/(\S+)-linux-amd64\.oci\.tar/.exec(block) ?? [];
      const [, image] = /podman run .* trunkline:(\S+)$/m.exec(block) ?? [];
      expect(archive).toBe(`trunkline-${image}`);
      expect(image?.endsWith('-full')).toBe(isFull);
      expect(block.includes('--env npm_config_registry=')).toBe(!isFull);
      expect(block.includes(':/models')).toBe(!isFull);
    }
  });

  it('is named by each command that gives the chart its values, which an upgrade forgets otherwise', () => {
    const commands = commandsOf('kubernetes.md', 'helm ');
    expect(commands.map((line) => line.split(' ')[1])).toEqual(['install', 'upgrade']);
    for (const command of commands) {
      expect(command).toMatch(/--set image\.repository=\S+/);
      expect(command).toContain('--set image.full=true');
    }
  });
});
